import type { FormatName } from "../core/formats.ts";
import { area, type Size } from "../core/geometry.ts";
import type { Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { reducedBefore } from "./redaction.ts";
import { turnOf } from "./turn.ts";

/** The part of a page that a plan reads, and how. */
export interface MemoryEstimateInput {
  readonly format: FormatName;
  readonly page: Page;
  /** Whether it is read in parts, and of which level. */
  readonly isInParts: boolean;
  readonly level: Level;
  /** Pixels of the touched parts of the level, and of its requested region. */
  readonly touched: number;
  readonly region: number;
  /** Pixels of the final image, rotated by degrees. */
  readonly answer: number;
  /** Factor by which a JPEG is shrunk each way on decoding. */
  readonly shrink: 1 | 2 | 4 | 8;
  /** Size of the stored file in bytes; absent where unknown. */
  readonly sourceBytes?: number | undefined;
  /** Bounds the bytes charged for decoding streamed rows. */
  readonly maxStreamed: number;
}

/*
 * The factors were measured: the peak memory of a process above its idle state, one render at a
 * time, with images of 1 to 60 megapixels, rounded up.
 */

/**
 * Maximum memory in bytes that rendering a plan takes in the worker process and its tile threads.
 * Decoder and encoder threads and programs reserve theirs separately.
 */
export const memoryOf = (plan: Plan, wanted: MemoryEstimateInput): number =>
  ofAnyDrawing +
  decoding(wanted) +
  hiding(plan, wanted) +
  drawing(plan, wanted) +
  encoding(plan, wanted);

/** As `memoryOf`, where the page has been read and scaled already. */
export const memoryOfScaled = (
  plan: Plan,
  wanted: Pick<MemoryEstimateInput, "page" | "answer">,
): number => ofAnyDrawing + marking(plan, wanted) + drawing(plan, wanted) + encoding(plan, wanted);

const ofAnyDrawing = 1_048_576;

/** Rows of a stream that libvips holds. */
const rowsAtHand = 1_024;

const decoding = (wanted: MemoryEstimateInput): number => {
  const { format, page, isInParts } = wanted;
  const whole = wholeDecoders[format];
  if (format === "tif") return decodingTiff(wanted);
  if (isInParts || whole === undefined)
    return wanted.region * samplesOf(page) * sampleBytes(page) * (copies[format] ?? usualCopies);
  return whole(wanted);
};

/** Copies of the requested region held by decoders that decode no more than that. */
const usualCopies = 3;
const copies: Readonly<Partial<Record<FormatName, number>>> = { jp2: 4, pdf: 2, svg: 2, dicom: 6 };

/** Decoders that have to start at the beginning, with their memory. */
const wholeDecoders: Readonly<
  Partial<Record<FormatName, (wanted: MemoryEstimateInput) => number>>
> = {
  jpg: (wanted) => {
    const { page } = wanted;
    const coefficients = page.progressive ? area(page.size) * samplesOf(page) * 2 : 0;
    return coefficients + streamed(wanted);
  },
  png: (wanted) => (wanted.page.progressive ? held(wanted, 1) : 0) + streamed(wanted),
  webp: (wanted) => area(wanted.page.size) * 11,
  avif: (wanted) =>
    area(wanted.page.size) * (isDeep(wanted.page) || wanted.page.colour.alpha ? 26 : 18),
  gif: (wanted) => area(wanted.page.size) * 12,
};

/** Formats decoded row by row. */
const streamed = ({ page, shrink, maxStreamed }: MemoryEstimateInput): number => {
  const width = page.size.width / shrink;
  const height = page.size.height / shrink;
  const rows = Math.min(height, rowsAtHand);
  return Math.min(width * rows * samplesOf(page) * sampleBytes(page), maxStreamed);
};

/** Copies of the whole page. */
const held = ({ page }: MemoryEstimateInput, times: number): number =>
  area(page.size) * samplesOf(page) * sampleBytes(page) * times;

/**
 * libvips reads a copy of the touched parts as stored, one row of tiles after the other; parts that
 * it cannot read are decoded first.
 */
const decodingTiff = ({
  page,
  level,
  touched,
  sourceBytes = Number.POSITIVE_INFINITY,
}: MemoryEstimateInput): number => {
  const { size, tile } = level;
  const decoded = touched * samplesOf(page) * sampleBytes(page);
  if (page.isUnpacked) return decoded * 3;
  const all = page.levels.reduce((sum, { size: one }) => sum + area(one), 0);
  // Some parts need more than others.
  const stored = Math.min(decoded, sourceBytes * Math.min(1, (touched * 2) / all));
  const row = Math.min(touched, size.width * tile.height) * samplesOf(page) * sampleBytes(page);
  return stored * 2.2 + Math.min(row, decoded) * 2;
};

/**
 * A redacted image is held before scaling, and one with an overlay when it is finished; twice while
 * its pending operations run.
 */
const hiding = (plan: Plan, wanted: MemoryEstimateInput): number => {
  const { format, page, region } = wanted;
  const { cover, linear } = plan;
  if (cover === undefined) return 0;
  const isReduced = format === "jpg" && !linear && region >= area(page.size);
  const held = isReduced ? region / reducedBefore(plan) ** 2 : region;
  const redacted = cover.redactions.length > 0 ? held * bytesHeld(page) : 0;
  return redacted + marking(plan, wanted);
};

const marking = (
  { cover }: Plan,
  { page, answer }: Pick<MemoryEstimateInput, "page" | "answer">,
): number => (cover?.overlay ? answer * (bytesHeld(page) + markBytes) : 0);

/** Bytes per pixel of an image that is held twice. */
const bytesHeld = (page: Page): number => samplesOf(page) * sampleBytes(page) * 2;

/** Bytes per pixel of a mark; marks are drawn one by one. */
const markBytes = 4;

const drawing = (
  plan: Plan,
  { page, answer }: Pick<MemoryEstimateInput, "page" | "answer">,
): number => {
  const drawn = area(plan.size);
  // Linear light is computed in floating point.
  const sample = samplesOf(page) * (plan.linear ? 4 : sampleBytes(page));
  const rows = rowsOf(plan.size, sample);
  return (
    rows + Math.max(drawn, answer) * samplesOf(page) * sampleBytes(page) * picturesHeld(plan, page)
  );
};

const rowsOf = ({ width, height }: Size, sample: number): number =>
  width * Math.min(height * 2, rowsAtHand) * sample;

/**
 * Copies of the whole image along the way: one where it is rotated, two where operations run in
 * between.
 */
const picturesHeld = (plan: Plan, page: Page): number => {
  const isTurned = turnOf(plan).turns !== 0;
  const isRotated = plan.rotation % 90 !== 0;
  const isShaded = plan.quality !== "default" && page.colour.model !== "grey";
  const settled = [
    isTurned && isRotated,
    plan.linear,
    plan.sharpen > 0 && (isTurned || isRotated),
    isShaded && page.colour.model !== "rgb",
    plan.quality === "bitonal" && isDeep(page),
  ].filter(Boolean).length;
  return (isTurned ? 1 : 0) + (isRotated ? 1 : 0) + settled * 2;
};

const encoding = (
  plan: Plan,
  { page, answer }: Pick<MemoryEstimateInput, "page" | "answer">,
): number => {
  const { byPixel = 0, bySample = 0 } = encoders[plan.format] ?? usualEncoder;
  const isGrey = plan.quality === "gray" || plan.quality === "bitonal";
  const samples = isGrey ? 1 : samplesOf(page);
  const bytes = plan.deep && isDeep(page) ? 2 : 1;
  return answer * (byPixel + bySample * samples * bytes);
};

/** Bytes that encoders hold, and their output. */
interface EncoderMemory {
  readonly byPixel?: number;
  readonly bySample?: number;
}

const usualEncoder: EncoderMemory = { bySample: 1 };

const encoders: Readonly<Partial<Record<FormatName, EncoderMemory>>> = {
  png: { bySample: 2.6 },
  tif: { bySample: 3.4 },
  gif: { byPixel: 16 },
  webp: { byPixel: 9 },
  avif: { byPixel: 38 },
  // Encoded in threads, which get the samples.
  jp2: { bySample: 2.5 },
  jxl: { bySample: 2.5 },
};

const samplesOf = ({ colour }: Page): number =>
  (colour.model === "grey" ? 1 : colour.model === "cmyk" ? 4 : 3) + (colour.alpha ? 1 : 0);

const isDeep = ({ colour }: Page): boolean => colour.bits > 8;

const sampleBytes = (page: Page): number => (isDeep(page) ? 2 : 1);
