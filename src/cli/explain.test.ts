import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asImage, drawGrid } from "../../test/e2e/grid.ts";
import { drawnPage, pdfOf } from "../../test/pdf.ts";
import { createTileThreads } from "../formats/fast-jpeg/tile-threads.ts";
import type { ExitCode } from "./command.ts";
import type { Explained } from "./explanation.ts";
import { reportOf } from "./explanation-report.ts";
import { run as runProgram } from "./program.ts";
import { styleFor } from "./style.ts";

const picture = drawGrid(1500, 1100, { square: 100, seed: 4 });

let folder: string;
let threaded: boolean;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-explain-"));
  const tiled = { tile: true, tileWidth: 128, tileHeight: 128, pyramid: true } as const;
  for (const compression of ["jpeg", "deflate"] as const)
    await asImage(picture)
      .tiff({ ...tiled, compression })
      .toFile(join(folder, `${compression}.tif`));
  await asImage(picture).png().toFile(join(folder, "whole.png"));
  await writeFile(join(folder, "a.pdf"), pdfOf([drawnPage]));
  const threads = createTileThreads(() => ({ threads: 1, ms: 20_000 }));
  threaded = await threads.available();
  await threads.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

const run = async (...args: readonly string[]): Promise<Ran> => {
  let [out, err] = ["", ""];
  const code = await runProgram(["explain", ...args], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    outStyle: styleFor(false),
    errStyle: styleFor(false),
    outColumns: undefined,
    errColumns: undefined,
    signal: new AbortController().signal,
  });
  return { code, out, err };
};

const explained = async (url: string, ...options: readonly string[]): Promise<Explained> => {
  const { out } = await run(url, folder, "--json", ...options);
  const parsed: Explained = JSON.parse(out);
  return parsed;
};

const stagesOf = ({ runs: [first] = [] }: Explained): readonly string[] =>
  Object.keys(first?.stages ?? {});

describe("vitrine explain", () => {
  it.each([
    {
      what: "one whole stored tile",
      url: "/iiif/3/jpeg.tif/256,0,256,256/128,/0/default.jpg",
      way: "stored",
      reading: { level: 2, size: { width: 750, height: 550 }, compression: "jpeg", tiles: 1 },
      reasons: {},
    },
    {
      what: "a tile of another compression",
      url: "/iiif/3/deflate.tif/256,0,256,256/128,/0/default.jpg",
      way: "recoded",
      reading: { level: 2, compression: "deflate", tiles: 1 },
      reasons: { notStored: "the stored tiles are not images in the requested format" },
    },
    {
      what: "four tiles side by side",
      url: "/iiif/3/jpeg.tif/0,0,256,256/256,/0/default.jpg",
      way: "recoded",
      reading: { level: 1, region: { x: 0, y: 0, width: 256, height: 256 }, tiles: 4 },
      reasons: { notStored: "it is not exactly one whole stored tile" },
    },
    {
      what: "a reduction that no level has",
      url: "/iiif/3/deflate.tif/0,0,768,768/256,/0/default.jpg",
      way: "scaled",
      reading: { level: 2 },
      reasons: { notRecoded: "no stored level is the page reduced by 3" },
    },
    {
      what: "a picture turned over",
      url: "/iiif/3/jpeg.tif/256,0,256,256/128,/!0/default.jpg",
      way: "drawn",
      reading: { level: 2 },
      reasons: { notStored: "it is mirrored", notScaled: "it is mirrored" },
    },
    {
      what: "another format",
      url: "/iiif/3/jpeg.tif/256,0,256,256/128,/0/default.png",
      way: "drawn",
      reading: { level: 2, tiles: 1 },
      reasons: { notRecoded: "the threads for tiles make only JPEGs" },
    },
  ])("reports that $what is $way, and the server answers that way", async (expected) => {
    const { url, way, reading, reasons } = expected;
    // Without threads libvips renders what they would have.
    const here = threaded || way === "stored" ? way : "drawn";
    const found = await explained(url, "--do");
    expect(found).toMatchObject({ way: here, reading, ...(here === way ? reasons : {}) });
    expect(found.answer).toMatchObject({ status: 200, etag: `W/"${found.key}"` });
    expect(found.runs).toMatchObject([{ status: 200 }, { status: 200 }]);
    const stages = stagesOf(found);
    expect(stages.includes("wait")).toBe(here !== "stored");
    expect(stages.includes("read")).toBe(here === "drawn");
  });

  it("counts the bytes that a response reads, which are those of its tiles and of the structure", async () => {
    const { reading, runs, image } = await explained(
      "/iiif/3/deflate.tif/0,0,256,256/256,/0/default.png",
      "--do",
    );
    expect(reading?.tiles).toBe(4);
    const [first] = runs ?? [];
    expect(first?.read.bytes).toBeGreaterThan(reading?.bytes ?? Number.NaN);
    expect(first?.read.bytes).toBeLessThan((image?.source.bytes ?? 0) * 2);
  });

  it("names libraries that may have read more of a file by themselves", async () => {
    const { out } = await run("/iiif/3/a.pdf/full/max/0/default.png", folder, "--do");
    expect(out).toContain("PDFium may have read more on its own");
    expect(out).not.toContain("libvips may");
    const read = { bytes: 1, times: 1, opened: true };
    const runs = [{ status: 200, bytes: 1, milliseconds: 1, stages: {}, read }];
    const source = { bytes: 1, version: "1" };
    const sentences = (["mp4", "png", "tif", "heic"] as const).map((format) =>
      reportOf({
        url: "",
        answer: { status: 200 },
        image: { source, format, pages: 1 },
        runs,
      }),
    );
    const named = sentences.map((text) => /; (.*) may have read more on its own/.exec(text)?.[1]);
    expect(named).toEqual(["FFmpeg", "libvips", "libvips", "FFmpeg"]);
  });

  it("reports that libvips reads a file without tiles, and what that costs", async () => {
    const found = await explained("/iiif/3/whole.png/0,0,256,256/256,/0/default.jpg");
    expect(found).toMatchObject({
      way: "drawn",
      notStored: "the stored data is not such an image by itself",
      notRecoded: "files of this format have no tiles that can be taken",
      page: { number: 1, size: { width: 1500, height: 1100 } },
      cost: { lane: "small" },
    });
    expect(found).not.toHaveProperty("reading");
    expect(found).not.toHaveProperty("runs");
    expect(found.cost?.pixels).toBeGreaterThan(256 * 256);
  });

  it("accepts an info.json, a redirect and a whole URL", async () => {
    expect(await explained("https://images.example/iiif/3/jpeg.tif/info.json?a=b")).toMatchObject({
      answer: { status: 200 },
      image: { identifier: "jpeg.tif", format: "tif", pages: 1 },
    });
    expect(await explained("https://images.example/iiif/3/jpeg.tif")).toMatchObject({
      answer: { status: 303, location: "http://images.example/iiif/3/jpeg.tif/info.json" },
    });
  });

  it("reports an invalid request in the server's words and exits with 1", async () => {
    const { code, out } = await run("/iiif/3/jpeg.tif/full/9000,/0/default.jpg", folder);
    expect(code).toBe(1);
    expect(out).toMatch(/^answer +400, application\/json; charset=utf-8, size: expected /);
    expect((await run("/iiif/3/absent/info.json", folder)).out).toContain("404");
  });

  it("prints readable lines", async () => {
    const { code, out } = await run(
      "/iiif/3/jpeg.tif/256,0,256,256/128,/0/default.jpg",
      folder,
      "--do",
    );
    expect(code).toBe(0);
    for (const line of [
      /^answer +200, image\/jpeg$/m,
      /^identifier +jpeg\.tif$/m,
      /^wanted +256 x 256 at 256,0 as 128 x 128, default$/m,
      /^level +2 of \d: 750 x 550 in pieces of 128 x 128, jpeg$/m,
      /^reads +1 of them, [\d,]+ bytes$/m,
      /^way +stored: /m,
      /^cost +[\d,]+ pixels, [\d,]+ bytes, lane of small work$/m,
      /^first time +200, [\d,]+ bytes after [\d.]+ ms\n +parse [\d.]+, info /m,
      /^once more +200, /m,
    ])
      expect(out).toMatch(line);
  });

  it.each([
    { args: [], says: "explain: expected a URL, or --budget" },
    { args: ["a", "b", "c"], says: "too many arguments for 'explain'" },
    { args: ["iiif/3/a/info.json", "."], says: "expected a URL or a path such as" },
    { args: ["/a", ".", "--config", "b"], says: "expected a folder or a configuration" },
    { args: ["/a", "./absent"], says: "explain: there is no folder './absent'" },
  ])("refuses $args", async ({ args, says }) => {
    const { code, err } = await run(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  });
});
