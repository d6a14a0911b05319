import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describe, expect, onTestFinished, test } from "vitest";
import { difference, pixelsOf } from "../likeness.ts";
import { startOrigin } from "../servers/origin.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const sample = fileURLToPath(new URL("../../samples/chart.jpg", import.meta.url));

describe("commands on images of a web server", { timeout: 90_000 }, () => {
  test("read them, report their requests and errors, and reveal no password", async () => {
    const cwd = await temporaryFolder();
    const origin = await startOrigin();
    onTestFinished(() => origin.close());
    const pyramid = await sharp(sample)
      .tiff({ tile: true, pyramid: true, compression: "jpeg" })
      .toBuffer();
    origin.files.set("/maps/chart.tif", { bytes: pyramid, etag: '"one"' });
    await writeFile(
      join(cwd, "http.properties"),
      `source.static = HttpSource
HttpSource.BasicLookupStrategy.url_prefix = ${origin.base.replace("//", "//me:sesame@")}/
`,
    );
    const config = ["--config", "http.properties"];
    const all: string[] = [];
    const told = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await run([...args, ...config], { cwd });
      all.push(stdout, stderr);
      return { code, stdout, stderr };
    };

    const place = `${origin.base}/maps/chart.tif`;
    const inspected = await told("inspect", "-i", "maps/chart.tif");
    expect(inspected).toMatchObject({ code: 0, stderr: "" });
    expect(inspected.stdout).toContain(`source       ${place}\n`);
    expect(inspected.stdout).toMatch(/\nrequested {4}[1-9] times?, \d+ bytes received\n/);

    expect(await told("convert", "-i", "maps/chart.tif", "out.png", "-q")).toMatchObject({
      code: 0,
    });
    const { mean } = difference(
      await pixelsOf(await readFile(join(cwd, "out.png"))),
      await pixelsOf(await readFile(sample)),
    );
    expect(mean).toBeLessThan(4);

    const url = "/iiif/3/maps%2Fchart.tif/256,256,256,256/256,/0/default.jpg";
    origin.requests.length = 0;
    const explained = JSON.parse((await told("explain", url, "--do", "--json")).stdout);
    const { requests } = explained.runs[0].read.requested;
    expect(explained.image.source.place).toBe(place);
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(4);
    expect(explained.runs[1].read.requested.bytes).toBeLessThan(2);
    expect(explained.answer.status).toBe(200);
    const report = await told("explain", url);
    expect(report.stdout).toContain(`source       ${place}, `);
    expect(report.stdout).toMatch(/\nrequested {4}\d times, [\d,]+ bytes, to learn of the image\n/);

    const before = origin.requests.length;
    expect((await run(["config", "check", "http.properties"], { cwd })).code).toBe(0);
    expect(origin.requests.length).toBe(before);
    const reached = await run(["config", "check", "http.properties", "--connect"], { cwd });
    expect(reached).toMatchObject({ code: 0 });
    expect(reached.stdout).toMatch(/source\.static \(HttpSource\): reachable/);
    origin.fault = () => "401";
    const refused = await run(["config", "check", "http.properties", "--connect"], { cwd });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stdout).toContain("the credentials are refused. Check");
    expect(refused.stdout).toContain("the server would start, but 1 source cannot be reached.");
    await origin.close();
    const gone = await run(["config", "check", "http.properties", "--connect"], { cwd });
    expect(gone).toMatchObject({ code: 2 });
    expect(gone.stdout).toContain("the server refuses connections");
    expect(await told("inspect", "-i", "maps/chart.tif")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("maps/chart.tif: the server refuses connections. Check"),
    });
    all.push(reached.stdout, refused.stdout, gone.stdout);
    expect(all.join("")).not.toContain("sesame");
  });
});
