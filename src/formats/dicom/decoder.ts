import { setImmediate } from "node:timers/promises";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { profileOf } from "../containers/index.ts";
import type { Codestreams } from "../jpeg2000/file/index.ts";
import { rasterOf } from "../libvips/index.ts";
import {
  ByteCache,
  type Decoder,
  type ReducedSamples,
  type Reduction,
  reductionFor,
  reductionOf,
  requirePage,
  takeRows,
} from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import { createFrameReader } from "./frames.ts";
import { type GreyMeaning, greyMeaning, meaningOf } from "./grey.ts";
import { type OpenedDicom, openDicom } from "./opened.ts";
import {
  colourPainter,
  greyPainter,
  type Painter,
  palettePainter,
  storableRange,
} from "./painting.ts";
import { readPalette } from "./palette.ts";
import type { StoredPart, StoredValues } from "./stored.ts";
import type { FrameThreads } from "./threads.ts";

/** Maximum bytes of cached file structures, including inflated files. */
const maxKept = 67_108_864;

/** Maximum number of cached frame ranges, and the size of one in bytes. */
const maxRanges = 1_048_576;
const rangeBytes = 128;

/** Values between two yields to the event loop: a few milliseconds. */
const valuesPerIteration = 262_144;

/** The decoders of DICOM frames. */
export interface DicomParts {
  readonly codestreams: Codestreams;
  readonly threads: FrameThreads;
}

/**
 * Reads DICOM files (PS3.10): frames are pages, or where the file says so tiles of whole slide
 * images. Grey values are displayed with their modality and VOI transformations.
 */
export const createDicomDecoder = (
  settings: () => Settings<typeof decodingKeys>,
  { codestreams, threads }: DicomParts,
): Decoder => {
  const kept = new ByteCache<ImageInfo, OpenedDicom>(maxKept);
  const ranges = new ByteCache<OpenedDicom, Map<number, readonly [number, number]>>(maxRanges);
  const limits = () => ({
    max: settings()["processor.max_decoded_bytes"],
    seconds: settings()["processor.timeout"],
  });
  const frames = createFrameReader(codestreams, threads, limits);

  const opened = async (
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ): Promise<OpenedDicom> => {
    const before = kept.get(info);
    if (before !== undefined) return before;
    const now = await openDicom(reader, { max: limits().max, signal });
    kept.set(info, now, now.bytes);
    return now;
  };

  /**
   * The range of a frame's meaningful values, without padding; of tiles, that of all possible
   * values.
   */
  const rangeOf = async (
    reader: RangeReader,
    file: OpenedDicom,
    frame: number,
    signal: AbortSignal,
  ): Promise<readonly [number, number]> => {
    const { description, attributes, grid } = file;
    const meaning = greyMeaning(attributes, { frame, signed: description.signed });
    const means = meaningOf(meaning);
    const isWhole = description.stored <= 8 || (grid.columns * grid.rows > 1 && !description.float);
    if (isWhole) return ordered(...storableRange(description), means);
    const known = ranges.get(file) ?? new Map<number, readonly [number, number]>();
    const before = known.get(frame);
    if (before !== undefined) return before;
    const region = { x: 0, y: 0, ...description.size };
    const { values } = await frames.read(reader, file, { frame, region, signal });
    const [min, greatest] = await extentOf(values, meaning.padding, signal);
    const found = ordered(min, greatest, means);
    known.set(frame, found);
    ranges.set(file, known, known.size * rangeBytes);
    return found;
  };

  const painterOf = async (
    reader: RangeReader,
    file: OpenedDicom,
    frame: number,
    signal: AbortSignal,
  ): Promise<Painter> => {
    const { description, attributes } = file;
    if (description.photometric === "PALETTE COLOR")
      return palettePainter(readPalette(attributes, description.signed));
    if (description.samples === 3) return colourPainter(description);
    const meaning = greyMeaning(attributes, { frame, signed: description.signed });
    const range =
      meaning.shown === undefined ? await rangeOf(reader, file, frame, signal) : noRange;
    return greyPainter(description, meaning, range);
  };

  /** Reads the rows of a region, tile row by tile row. */
  const readRows = async (
    reader: RangeReader,
    file: OpenedDicom,
    { page, reduction, signal }: { page: number; reduction: Reduction; signal: AbortSignal },
  ): Promise<{ readonly values: ReducedSamples; readonly painter: Painter }> => {
    const { grid, description } = file;
    const { region } = reduction;
    const { size: tile } = description;
    const first = page * grid.columns * grid.rows;
    const painter = await painterOf(reader, file, first, signal);
    const { channels } = painter;
    checkCost(area(reduction.size) * channels * (painter.depth / 8), limits().max);
    const rows = takeRows(reduction, painter);
    const row = memoryFor(painter, region.width);
    for (const y of spans(region.y, region.height, tile.height)) {
      const parts: {
        readonly painted: ReducedSamples;
        readonly width: number;
        readonly at: number;
      }[] = [];
      for (const x of spans(region.x, region.width, tile.width)) {
        const frame = first + y.tile * grid.columns + x.tile;
        const inside: Rect = { x: x.from, y: y.from, width: x.length, height: y.length };
        const part = await frames.read(reader, file, { frame, region: inside, signal });
        const painted = await paint(painter, part, signal);
        parts.push({ painted, width: x.length * channels, at: (x.start - region.x) * channels });
      }
      for (let line = 0; line < y.length; line++) {
        for (const { painted, width, at } of parts)
          row.set(painted.subarray(line * width, (line + 1) * width), at);
        rows.put(y.start + line - region.y, row);
      }
    }
    return { values: rows.values, painter };
  };

  return {
    async info(reader, signal) {
      const file = await openDicom(reader, { max: limits().max, signal });
      const page = pageOf(file);
      const others = Array.from({ length: file.grid.pages - 1 }, () => page);
      const info: ImageInfo = { format: "dicom", pages: [page, ...others] };
      kept.set(info, file, file.bytes);
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      const page = requirePage(info, window.page);
      const file = await opened(reader, info, signal);
      const { size: whole } = file.grid;
      if (whole.width !== page.size.width || whole.height !== page.size.height)
        fail("unreadable", "The DICOM file was replaced while it was open.");
      const reduction = reductionOf(page.size, window.region, reductionFor(window));
      const { size, covers } = reduction;
      const maxPixels = settings()["processor.max_scanned_pixels"];
      if (area(reduction.region) > maxPixels)
        fail(
          "unreadable",
          `Expected a region of a DICOM image of at most ${maxPixels} pixels; this one has ${area(reduction.region)}.`,
        );
      const { values, painter } = await readRows(reader, file, {
        page: window.page,
        reduction,
        signal,
      });
      const { channels, depth } = painter;
      const isNeeded = page.colour.profile === "kept" || page.colour.profile === "converted";
      return {
        image: rasterOf(
          { values, depth, channels },
          {
            size,
            model: channels === 1 ? "grey" : "rgb",
            profile: isNeeded ? file.profile : undefined,
            seconds: limits().seconds,
          },
        ),
        size,
        covers,
      };
    },
  };
};

/** The minimum and maximum of values, without padding; 0 where there is none. */
const extentOf = async (
  values: StoredValues,
  padding: GreyMeaning["padding"],
  signal: AbortSignal,
): Promise<readonly [number, number]> => {
  const [padFrom, padTo] = padding ?? [1, 0];
  let min = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < values.length; from += valuesPerIteration) {
    for (const value of values.subarray(from, from + valuesPerIteration)) {
      const isPadding = value >= padFrom && value <= padTo;
      if (isPadding || !Number.isFinite(value)) continue;
      min = Math.min(min, value);
      greatest = Math.max(greatest, value);
    }
    await setImmediate();
    signal.throwIfAborted();
  }
  return min > greatest ? noRange : [min, greatest];
};

const noRange = [0, 0] as const;

const ordered = (
  one: number,
  other: number,
  means: (stored: number) => number,
): readonly [number, number] => {
  const [first, second] = [means(one), means(other)];
  return first <= second ? [first, second] : [second, first];
};

const pageOf = ({ grid, description, profile }: OpenedDicom): Page => {
  const isGrey = description.photometric.startsWith("MONOCHROME");
  const model = isGrey ? "grey" : "rgb";
  const colour: Colour = {
    bits: description.stored,
    model,
    alpha: false,
    profile: profileOf(profile, model),
  };
  const isTiled = grid.columns * grid.rows > 1;
  const tile = isTiled ? description.size : grid.size;
  return { size: grid.size, orientation: 1, levels: [{ size: grid.size, tile }], colour };
};

/** The part of a line that lies in one tile. */
interface SideSpan {
  /** Counted from 0. */
  readonly tile: number;
  /** Its start in the page, and in the tile. */
  readonly start: number;
  readonly from: number;
  readonly length: number;
}

const spans = function* (start: number, length: number, side: number): Generator<SideSpan> {
  for (let at = start; at < start + length; ) {
    const tile = Math.floor(at / side);
    const end = Math.min(start + length, (tile + 1) * side);
    yield { tile, start: at, from: at - tile * side, length: end - at };
    at = end;
  }
};

const memoryFor = ({ channels, depth }: Painter, pixels: number): ReducedSamples =>
  depth === 8 ? new Uint8Array(pixels * channels) : new Uint16Array(pixels * channels);

const paint = async (
  painter: Painter,
  part: StoredPart,
  signal: AbortSignal,
): Promise<ReducedSamples> => {
  const pixels = part.width * part.height;
  const painted = memoryFor(painter, pixels);
  for (let from = 0; from < pixels; from += valuesPerIteration) {
    if (from > 0) await setImmediate();
    signal.throwIfAborted();
    painter.paint(part, painted, from, Math.min(pixels, from + valuesPerIteration));
  }
  return painted;
};

const checkCost = (bytes: number, max: number): void => {
  if (bytes > max)
    fail(
      "unreadable",
      `Expected a region of a DICOM image of at most ${max} bytes; this one takes ${bytes}.`,
    );
};
