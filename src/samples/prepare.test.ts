import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareSamples } from "./prepare.ts";

let home: string;
let shipped: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-samples-"));
  shipped = join(home, "shipped");
  await mkdir(shipped);
  await writeFile(join(shipped, "small.png"), "small");
});
afterEach(() => rm(home, { recursive: true }));

const { signal } = new AbortController();

test("the large picture is made at the first start, with a line of progress, and kept", async () => {
  const lines: string[] = [];
  const options = { shipped, fallbacks: [], side: 300 };
  const first = await prepareSamples((line) => lines.push(line), signal, options);
  expect(first.folder).toBe(shipped);
  expect(await first.large).toEqual({ identifier: "made/mandelbrot.tif" });
  expect(lines[0]).toMatch(/300 x 300/);
  expect((await sharp(join(shipped, "made/mandelbrot.tif")).metadata()).width).toBe(300);
  lines.length = 0;
  const second = await prepareSamples((line) => lines.push(line), signal, options);
  expect(await second.large).toEqual({ identifier: "made/mandelbrot.tif" });
  expect(lines).toEqual([]);
});

/** A file where a folder should be refuses everyone, whatever rights the tests run with. */
const refuse = (): Promise<void> => symlink(join(shipped, "small.png"), join(shipped, "made"));

test("where the package cannot be written to, all pictures stand together elsewhere", async () => {
  await refuse();
  const elsewhere = join(home, "cache/samples");
  const samples = await prepareSamples(() => undefined, signal, {
    shipped,
    fallbacks: [join(shipped, "small.png/no"), elsewhere],
    side: 64,
  });
  expect(samples.folder).toBe(elsewhere);
  expect(await samples.large).toEqual({ identifier: "made/mandelbrot.tif" });
  expect(await readdir(join(elsewhere, "made"))).toEqual(["mandelbrot.tif"]);
  expect(await readdir(elsewhere)).toContain("small.png");
});

test("where nothing can be written, the small pictures are served alone, and a sentence says so", async () => {
  await refuse();
  const samples = await prepareSamples(() => undefined, signal, {
    shipped,
    fallbacks: [],
    side: 64,
  });
  expect(samples.folder).toBe(shipped);
  expect(await samples.large).toMatchObject({ missing: expect.stringMatching(/left out\.$/) });
});

test("a start that is called off leaves no part of a picture behind", async () => {
  const abort = new AbortController();
  const samples = await prepareSamples(() => undefined, abort.signal, {
    shipped,
    fallbacks: [],
    side: 2048,
  });
  abort.abort();
  expect(await samples.large).toMatchObject({ missing: expect.any(String) });
  expect(await readdir(join(shipped, "made"))).toEqual([]);
});
