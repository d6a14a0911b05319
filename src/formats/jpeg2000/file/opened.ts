import { fail, ServerError } from "../../../core/errors.ts";
import { area, type Rect, round } from "../../../core/geometry.ts";
import type { Colour } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import { profileOf } from "../../containers/index.ts";
import type { DecodedPixels } from "../../shared/index.ts";
import type {
  Codestream,
  CodestreamDecoder,
  JpegForm,
  Plane,
  RegionSurvey,
} from "../codestream/index.ts";
import { type Channels, channelsOf } from "./channels.ts";
import type { Codestreams } from "./codestreams.ts";
import { checkAgreement } from "./consistency.ts";
import { type FileBytes, type Jpeg2000File, readFile } from "./file.ts";
import { readFurtherCodestreams } from "./further.ts";
import { cutOf, type Jp2Level, levelsOf, type StoredLevels } from "./levels.ts";
import type { LevelPixels } from "./pixel-cache.ts";
import { depthOf, pictureOf, precisionOf, sourcesOf } from "./values.ts";

/** The parsed structure of a file, without its bytes. */
export interface OpenJpeg2000 {
  readonly codestream: Codestream;
  readonly channels: Channels;
  /** Whether it is more than a bare codestream. */
  readonly hasBoxes: boolean;
  readonly levels: StoredLevels;
  readonly colour: Colour;
  /** Approximate memory. */
  readonly bytes: number;
}

/** Parses a file; throws `unreadable` where it is corrupt, truncated, or contradictory. */
export const openFile = async (
  open: Codestreams["open"],
  bytes: FileBytes,
): Promise<OpenJpeg2000> => openCodestream(open, bytes, await readFile(bytes));

/** Opens the codestreams after the first of a JPX; unreadable ones are skipped. */
export const openFurtherCodestreams = async (
  open: Codestreams["open"],
  bytes: FileBytes,
): Promise<readonly OpenJpeg2000[]> => {
  const all: OpenJpeg2000[] = [];
  for (const further of (await attempt(readFurtherCodestreams(bytes))) ?? []) {
    const opened = await attempt(openCodestream(open, bytes, further));
    if (opened !== undefined) all.push(opened);
  }
  return all;
};

/** The result; undefined where it is a refusal. */
const attempt = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServerError && error.failure === "unreadable") return undefined;
    throw error;
  }
};

const openCodestream = async (
  open: Codestreams["open"],
  bytes: FileBytes,
  { place, header }: Jpeg2000File,
): Promise<OpenJpeg2000> => {
  const codestream = await open(bytes.reader, place, bytes.signal);
  checkAgreement(header, codestream);
  const channels = channelsOf(header, codestream.header);
  return {
    codestream,
    channels,
    hasBoxes: header.size !== undefined,
    levels: levelsOf(codestream.header),
    colour: colourOf(codestream, channels),
    bytes: codestream.bytes + header.bytes + ownBytes,
  };
};

const ownBytes = 4_096;

const colourOf = ({ header }: Codestream, { space, alpha, colours }: Channels): Colour => {
  const bits = colours.map((channel) => precisionOf(channel, header.components));
  return {
    bits: Math.max(1, ...bits),
    model: space.model,
    alpha: alpha !== undefined,
    profile: profileOf(space.profile, space.model),
  };
};

/** The part of a file to decode. */
export interface Jp2Part {
  readonly level: Jp2Level;
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  /** Maximum bytes. */
  readonly max: number;
  readonly signal: AbortSignal;
}

/** The cache key of a level's pixels, of a file whose samples are final pixels (`isReady`). */
export const pixelsOf = ({ codestream, channels }: OpenJpeg2000, level: Jp2Level): LevelPixels => ({
  picture: codestream,
  level,
  samples: sourcesOf(channels).length,
});

/**
 * Decodes the pixels of a part, as far as they are not cached; throws `unreadable` where they would
 * need too much memory.
 */
export const decodePart = async (
  { decoder, pixels }: Pick<Codestreams, "decoder" | "pixels">,
  reader: RangeReader,
  file: OpenJpeg2000,
  { level, region, max, signal }: Jp2Part,
): Promise<DecodedPixels> => {
  checkCost(file, region, max);
  const { codestream, channels } = file;
  const { header } = codestream;
  const { reduce } = level;
  const sources = sourcesOf(channels);
  if (isReady(file)) {
    const components = sources.map(({ component }) => component);
    const decode = async (own: Rect, signal: AbortSignal): Promise<Uint8Array> => {
      const { region } = cutOf(header, level, own);
      const wanted = { codestream, reader, region, reduce, components, signal };
      return (await decoder.decodeInterleaved(wanted)).samples;
    };
    const found = await pixels.get(pixelsOf(file, level), region, decode, signal);
    return { ...found, depth: 8, channels: sources.length };
  }
  const components = [...new Set(sources.map(({ component }) => component))];
  const cut = cutOf(header, level, region);
  const wanted = { codestream, reader, region: cut.region, reduce, components, signal };
  const { planes } = await decoder.decodeRegion(wanted);
  const byComponent = new Map<number, Plane>();
  for (const [index, component] of components.entries()) {
    const plane = planes[index];
    if (plane !== undefined) byComponent.set(component, plane);
  }
  const depth = depthOf(channels, header.components);
  return pictureOf(channels, byComponent, { pixels: cut.pixels, depth, signal });
};

/**
 * A JPEG of a part's pixels, of a file whose samples are final pixels (`isReady`); undefined where
 * it has to be made of the result of `decodePart`.
 */
export const encodePart = (
  decoder: CodestreamDecoder,
  file: OpenJpeg2000,
  { level, region, max }: Omit<Jp2Part, "signal">,
  form: JpegForm,
): Steps<Uint8Array | undefined> => {
  checkCost(file, region, max);
  const { codestream, channels } = file;
  const { reduce } = level;
  const components = sourcesOf(channels).map(({ component }) => component);
  const cut = cutOf(codestream.header, level, region);
  return decoder.encode({ codestream, region: cut.region, reduce, components }, form);
};

/** The input of decoding a part. */
export const surveyPart = (
  decoder: CodestreamDecoder,
  reader: RangeReader,
  { codestream, channels }: OpenJpeg2000,
  { level, region, signal }: Omit<Jp2Part, "max">,
): Promise<RegionSurvey> => {
  const cut = cutOf(codestream.header, level, region);
  const components = [...new Set(sourcesOf(channels).map(({ component }) => component))];
  const { reduce } = level;
  return decoder.survey({ codestream, reader, region: cut.region, reduce, components, signal });
};

/** Memory of decoding a region in bytes. */
const costOf = ({ codestream, channels }: OpenJpeg2000, region: Rect): number => {
  const sources = sourcesOf(channels);
  const values = sources.length * (depthOf(channels, codestream.header.components) / 8);
  // Coefficients and samples of each component, and their pixels, once or twice.
  return area(region) * (sources.length * 6 + values * 2);
};

const checkCost = (file: OpenJpeg2000, region: Rect, max: number): void => {
  const bytes = costOf(file, region);
  if (bytes > max)
    fail(
      "unreadable",
      `Expected a part of a JPEG 2000 of at most ${max} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};

/** Whether the codestream's samples are the final pixels: 8 bits, without any conversion. */
export const isReady = ({ channels, codestream: { header } }: OpenJpeg2000): boolean =>
  channels.space.coding === "plain" &&
  !channels.premultiplied &&
  sourcesOf(channels).every(({ component, column }) => {
    const { precision, signed, dx, dy } = header.components[component] ?? noComponent;
    return column === undefined && precision === 8 && !signed && dx === 1 && dy === 1;
  });

const noComponent = { precision: 0, signed: false, dx: 1, dy: 1 };
