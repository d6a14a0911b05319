import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

test("inspect prints metadata as text and, complete, as JSON", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.jpg");
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: "#804020" } });
  await writeFile(
    path,
    await picture
      .withIccProfile("p3")
      .withExif({ IFD0: { Artist: "Vitrine", Copyright: "none" } })
      .jpeg()
      .toBuffer(),
  );
  const people = await run(["inspect", path]);
  expect(people).toMatchObject({ code: 0, stderr: "" });
  expect(people.stdout).toMatch(/^format +JPEG\n/);
  expect(people.stdout).toMatch(/\nexif\n(?: {2}.*\n)* {2}Artist +Vitrine\n/);
  expect(people.stdout).toMatch(/\nicc\n {2}description +\S/);
  const programs = await run(["inspect", "--json", path]);
  expect(JSON.parse(programs.stdout)).toMatchObject({
    format: "jpg",
    pages: { length: 1 },
    metadata: {
      exif: { image: { Artist: "Vitrine", Copyright: "none" } },
      icc: { colourSpace: "RGB" },
      problems: [],
    },
  });
});

const circle = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="9"/>`;

test("inspect follows the configuration and the environment", {
  timeout: 60_000,
}, async () => {
  const cwd = await temporaryFolder({ "a.svg": circle, "b.svg": circle });
  await writeFile(join(cwd, "on.properties"), "processor.svg.enabled = true\n");
  await writeFile(join(cwd, "bad.properties"), "processor.timeout = soon\n");
  const inspected = async (options: readonly string[], env: Record<string, string> = {}) =>
    run(["inspect", "a.svg", ...options], { cwd, env });
  const off = await inspected([]);
  expect(off).toMatchObject({ code: 1, stdout: "" });
  expect(off.stderr).toContain("processor.svg.enabled");
  for (const on of [
    await inspected(["--config", "on.properties"]),
    await inspected([], { PROCESSOR_SVG_ENABLED: "true" }),
    await inspected([], { VITRINE_CONFIG: "on.properties" }),
  ]) {
    expect(on).toMatchObject({ code: 0, stderr: "" });
    expect(on.stdout).toMatch(/^format +SVG\n/);
  }
  const bad = await inspected(["--config", "bad.properties"]);
  expect(bad).toMatchObject({ code: 2, stdout: "" });
  expect(bad.stderr).toMatch(/^error: .*processor\.timeout/);
  const absent = await inspected(["--config", "absent"]);
  expect(absent.code).toBe(2);
  expect(absent.stderr).toContain("Configuration: expected a configuration file at");
});

test.skipIf(!existsSync("/dev/full"))(
  `a result that cannot be written is reported with exit code 1${existsSync("/dev/full") ? "" : " (skipped: there is no /dev/full)"}`,
  async () => {
    const cwd = await temporaryFolder();
    const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: "#804020" } });
    await pixel.png().toFile(join(cwd, "a.png"));
    const within = ["sh", "-c", 'exec "$@" >/dev/full', "sh"];
    const { code, stderr } = await run(["inspect", "a.png"], { cwd, within });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "vitrine: the result cannot be written (ENOSPC)\n",
    });
  },
);

test("inspect's own help describes its output", async () => {
  const { code, stdout } = await run(["inspect", "--help"]);
  expect(code).toBe(0);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "{ format, pages, metadata: { exif, iptc, xmp, icc,",
  );
});
