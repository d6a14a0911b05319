import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../test/corpus.ts";
import {
  decodedByOpenJpeg,
  openJpegIsHere,
  openJpegIsMissing,
  type ReferenceComponent,
} from "../../../test/openjpeg.ts";
import { plan } from "../../../test/plans.ts";
import { fileReaderOf } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { area, upright } from "../../core/geometry.ts";
import type { Page } from "../../core/info.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import type { Raster } from "../shared/codec.ts";
import { sniff } from "../sniff.ts";

const codecs = createCodecs(new Resources(new Config()));
const signal = new AbortController().signal;

/** Larger images are not decoded whole. */
const maxPixels = 6_000_000;

interface Measured extends CorpusFile {
  readonly decomposition_levels?: number;
  readonly bands?: number;
  readonly bits?: number;
}

describe.skipIf(!corpusIsHere)("JPEG 2000 files of the corpus", () => {
  const files: Measured[] = corpusFiles("jp2", "htj2k", "iiif").filter(({ path }) =>
    /\.(jp2|jpx|jph|jhc|j2k|j2c)$/.test(path),
  );

  test.each(files.map((file) => [file.path, file] as const))("%s", async (_, file) => {
    const reader = await fileReaderOf(corpusPath(file));
    expect(await sniff(reader, signal)).toBe("jp2");
    const { decoder } = await codecs("jp2");
    if (decoder === undefined) throw new Error("Expected a decoder");
    const info = await decoder.info(reader, signal);
    const [page] = info.pages;
    checkPage(page, file);
    if (!openJpegIsHere || area(page.size) > maxPixels) return;
    const window = { page: 0, region: { x: 0, y: 0, ...page.size }, atLeast: page.size };
    const ours = await coloursOf(await decoder.read(reader, info, window, plan, signal), page);
    const components = await decodedByOpenJpeg(await readFile(corpusPath(file)));
    if (components === undefined) throw new Error("Expected OpenJPEG to read it");
    const theirs = gridOf(page.size, colourIn(components, file));
    const apart = ours.reduce((sum, value, at) => sum + Math.abs(value - (theirs[at] ?? 0)), 0);
    const max = page.colour.model === "cmyk" ? allowed.cmyk : allowed.colours;
    expect(apart / ours.length, "mean difference of the sixteen colours").toBeLessThan(max);
  });
});

const checkPage = ({ size, orientation, levels, colour }: Page, file: Measured): void => {
  expect(size).toEqual({ width: file.width, height: file.height });
  expect(upright(size, orientation)).toEqual({
    width: file.upright_width,
    height: file.upright_height,
  });
  expect(levels.length).toBeLessThanOrEqual((file.decomposition_levels ?? 0) + 1);
  expect(colour.alpha).toBe(file.bands === 2 || (file.bands === 4 && file.colour !== "CMYK"));
  if (file.bits !== undefined) expect(colour.bits).toBe(file.bits);
};

/**
 * The sixteen colours of a whole image by its samples, which an embedded profile does not change.
 */
const coloursOf = async ({ image }: Raster, { size, colour }: Page): Promise<number[]> => {
  const numbers = colour.profile === "kept" ? image.keepIccProfile() : image;
  const { data, info } = await numbers
    .flatten({ background: "#ffffff" })
    .toColourspace(colour.model === "grey" ? "b-w" : "srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  expect({ width: info.width, height: info.height }).toEqual(size);
  return gridOf(size, (x, y) => {
    const at = (y * size.width + x) * info.channels;
    return [0, 1, 2].map((band) => data[at + (info.channels < 3 ? 0 : band)] ?? 0);
  });
};

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
else if (!openJpegIsHere) test(openJpegIsMissing, ({ skip }) => skip(openJpegIsMissing));

/** Without a profile, inks have no defined colours; inverted or mixed-up images are far outside. */
const allowed = { colours: 1.5, cmyk: 34 };

const fewPixels = 100_000;

type ColourAt = (x: number, y: number) => readonly number[];

/** The mean colours of a 4 x 4 division. */
const gridOf = (size: { width: number; height: number }, colourAt: ColourAt): number[] => {
  const sums = Array.from({ length: 48 }, () => 0);
  const counts = Array.from({ length: 16 }, () => 0);
  // In large images some of the pixels suffice, and odd steps avoid patterns.
  const step = area(size) > fewPixels ? 5 : 1;
  for (let y = 0; y < size.height; y += step)
    for (let x = 0; x < size.width; x += step) {
      const cell = Math.floor((y * 4) / size.height) * 4 + Math.floor((x * 4) / size.width);
      counts[cell] = (counts[cell] ?? 0) + 1;
      for (const [band, value] of colourAt(x, y).entries())
        sums[cell * 3 + band] = (sums[cell * 3 + band] ?? 0) + value;
    }
  return sums.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / 3)] ?? 1));
};

/** Their channel definitions say that the last component is the first colour. */
const reversed: ReadonlySet<string> = new Set(["jp2/conformance/file2.jp2"]);

/** The colour of a pixel, computed plainly from the components' samples. */
const colourIn = (components: readonly ReferenceComponent[], file: Measured): ColourAt => {
  const inOrder = reversed.has(file.path) ? [...components].reverse() : components;
  const isYcc = file.colour === "sYCC" || components.slice(1, 3).some(({ across }) => across > 1);
  const valueAt = (component: ReferenceComponent, x: number, y: number): number => {
    const column = Math.min(Math.floor(x / component.across), component.width - 1);
    const row = Math.min(Math.floor(y / component.down), component.height - 1);
    const sample = component.data[row * component.width + column] ?? 0;
    const { bits, signed } = component;
    return ((sample + (signed ? 2 ** (bits - 1) : 0)) * 255) / (2 ** bits - 1);
  };
  return (x, y) => {
    const values = inOrder.map((component) => valueAt(component, x, y));
    const [one = 0, two = 0, three = 0, four = 255] = values;
    if (file.colour === "CMYK")
      return [one, two, three].map((ink) => ((255 - ink) * (255 - four)) / 255);
    if (components.length < 3) return over([one, one, one], components.length < 2 ? 255 : two);
    if (isYcc) return toRgb(one, two - 128, three - 128);
    return over([one, two, three], four);
  };
};

const over = (colour: readonly number[], alpha: number): number[] =>
  colour.map((value) => (value * alpha) / 255 + 255 - alpha);

const toRgb = (luma: number, blue: number, red: number): number[] =>
  [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue].map(
    (value) => Math.max(0, Math.min(255, value)),
  );
