import type { Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../test/corpus.ts";
import { plan } from "../../../test/plans.ts";
import { fileReaderOf } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { sniff } from "../sniff.ts";
import { createSvgDecoder } from "./decoder.ts";
import { svgKeys } from "./keys.ts";
import { createSvgProcesses, svgProcessLimits } from "./processes.ts";

const settings = new Config().view(svgKeys);
const processes = createSvgProcesses(() => svgProcessLimits(settings(), { threads: 2 }));
const decoder = createSvgDecoder(settings, processes);
const signal = new AbortController().signal;

/** The version of librsvg that the manifest was measured with does not render them. */
const otherLooks: ReadonlySet<string> = new Set([
  "svg/resvg/filters-feDropShadow-stdDeviation=0.svg",
]);

const side = 64;

/** The mean colours of a 4 x 4 division of an image, over white. */
const gridOf = async (image: Sharp): Promise<number[]> => {
  const data = await image
    .flatten({ background: "#ffffff" })
    .resize(side, side, { fit: "fill", kernel: "linear" })
    .raw()
    .toBuffer();
  const grid = Array.from({ length: 48 }, () => 0);
  const cell = side / 4;
  for (let at = 0; at < data.length; at++) {
    const pixel = Math.floor(at / 3);
    const [x, y] = [pixel % side, Math.floor(pixel / side)];
    const to = (Math.floor(y / cell) * 4 + Math.floor(x / cell)) * 3 + (at % 3);
    grid[to] = (grid[to] ?? 0) + (data[at] ?? 0) / (cell * cell);
  }
  return grid;
};

const drawn = async (file: CorpusFile) => {
  const reader = await fileReaderOf(corpusPath(file));
  expect(await sniff(reader, signal)).toBe("svg");
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[0];
  const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: size };
  return { size, raster: await decoder.read(reader, info, window, plan, signal) };
};

describe.skipIf(!corpusIsHere)("SVG documents of the corpus", () => {
  // The first process takes longest to start.
  beforeAll(async () => {
    const warm = corpusFiles("svg").find(({ path }) => path === "svg/circle.svg");
    if (warm !== undefined) await drawn(warm);
  }, 30_000);

  test.each(corpusFiles("svg").map((file) => [file.path, file] as const))(
    "%s",
    async (path, file) => {
      const { size, raster } = await drawn(file);
      expect(size).toEqual({ width: file.width, height: file.height });
      if (otherLooks.has(path)) return;
      const ours = await gridOf(raster.image);
      const theirs = (file.grid ?? []).flatMap((colour) => [...Buffer.from(colour, "hex")]);
      const apart = ours.reduce((sum, value, at) => sum + Math.abs(value - (theirs[at] ?? 0)), 0);
      expect(apart / ours.length, "mean difference of the sixteen colours").toBeLessThan(12);
    },
  );
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

afterAll(() => processes.close());
