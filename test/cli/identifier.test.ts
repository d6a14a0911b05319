import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { difference, pixelsOf } from "../likeness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const sample = fileURLToPath(new URL("../../samples/chart.jpg", import.meta.url));

/** A folder of images with a configuration beside it. */
const made = async () => {
  const cwd = await temporaryFolder({ "images/maps/broken.png": "This is no picture." });
  await copyFile(sample, join(cwd, "images", "maps", "chart.jpg"));
  await writeFile(
    join(cwd, "my.properties"),
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${cwd}/images/\n`,
  );
  return { cwd, config: ["--config", "my.properties"] };
};

describe("commands on images of the source", { timeout: 90_000 }, () => {
  test("inspect reports the same as for a file, and the location", async () => {
    const { cwd, config } = await made();
    const of = ["inspect", "--identifier", "maps/chart.jpg", ...config];
    const people = await run(of, { cwd });
    expect(people).toMatchObject({ code: 0, stderr: "" });
    expect(people.stdout).toMatch(/^format +JPEG\n/);
    expect(people.stdout).toMatch(/\nsource +\/.*images\/maps\/chart\.jpg\n$/);
    const { source, ...seen } = JSON.parse((await run([...of, "--json"], { cwd })).stdout);
    expect(source).toEqual({ place: expect.stringContaining("images/maps/chart.jpg") });
    const file = await run(["inspect", "--json", "images/maps/chart.jpg"], { cwd });
    expect(seen).toEqual(JSON.parse(file.stdout));
  });

  test("convert makes the same as of a file", async () => {
    const { cwd, config } = await made();
    const { code, stderr } = await run(
      ["convert", "--identifier", "maps/chart.jpg", "out.tif", "--quiet", ...config],
      { cwd },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const out = await readFile(join(cwd, "out.tif"));
    expect(await sharp(out).metadata()).toMatchObject({ width: 1600, height: 1200 });
    const { mean } = difference(await pixelsOf(out), await pixelsOf(await readFile(sample)));
    expect(mean).toBeLessThan(3);
  });

  test("ask the configured delegate for the location", async () => {
    const { cwd } = await made();
    await writeFile(
      join(cwd, "delegate.ts"),
      `export default class {
        context!: { readonly identifier: string };
        filesystemsource_pathname() {
          return "${cwd}/images/maps/" + this.context.identifier + ".jpg";
        }
      }`,
    );
    await writeFile(
      join(cwd, "asking.properties"),
      `delegate_script.enabled = true
delegate_script.pathname = delegate.ts
FilesystemSource.lookup_strategy = ScriptLookupStrategy
`,
    );
    // From another folder: the delegate is beside the configuration.
    const of = ["inspect", "--identifier", "chart", "--config", join(cwd, "asking.properties")];
    const { code, stdout, stderr } = await run(of, { cwd: join(cwd, "images") });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\nsource +\/.*images\/maps\/chart\.jpg\n$/);
  });

  test("report what is missing, broken or ambiguous", async () => {
    const { cwd, config } = await made();
    const said = async (...args: readonly string[]) => run([...args, ...config], { cwd });
    expect(await said("inspect", "--identifier", "nothing.jpg")).toMatchObject({
      code: 1,
      stderr: "nothing.jpg: There is no image 'nothing.jpg'.\n",
    });
    expect(await said("inspect", "-i", "maps/broken.png")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("maps/broken.png: "),
    });
    expect(await said("convert", "-i", "nothing.jpg", "out.tif")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no image 'nothing.jpg'."),
    });
    expect(await said("inspect", sample, "-i", "maps/chart.jpg")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("got both"),
    });
    expect(await said("inspect")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected a file or --identifier ID"),
    });
    expect(await said("convert", "-i", "maps/chart.jpg", "a.tif", "b.tif")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected OUT alone with --identifier"),
    });
  });

  test("config check contacts the source only with --connect", async () => {
    const { cwd } = await made();
    const alone = await run(["config", "check", "my.properties"], { cwd });
    expect(alone).toMatchObject({ code: 0 });
    expect(alone.stdout).not.toContain("reachable");
    const tried = await run(["config", "check", "my.properties", "--connect"], { cwd });
    expect(tried).toMatchObject({ code: 0, stderr: "" });
    expect(tried.stdout).toMatch(/source\.static \(FilesystemSource\): reachable \(\d+ ms\)\./);
    expect(tried.stdout).toMatch(/: good\.\n$/);
  });
});
