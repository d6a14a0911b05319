import { fail } from "../../core/errors.ts";
import { area, type Rect, round } from "../../core/geometry.ts";
import type { Colour } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { profileOf } from "../icc.ts";
import type { Codestream, CodestreamDecoder, Plane, RegionSurvey } from "../jpeg2000/contract.ts";
import { checkAgreement } from "./agreement.ts";
import { type Channels, channelsOf } from "./channels.ts";
import type { Codestreams } from "./codestreams.ts";
import { type FileBytes, readFile } from "./file.ts";
import { cutOf, levelsOf, type StoredLevel, type StoredLevels } from "./levels.ts";
import { depthOf, type Picture, pictureOf, precisionOf, sourcesOf } from "./values.ts";

/** What was learned of a file, without its bytes. */
export interface Opened {
  readonly codestream: Codestream;
  readonly channels: Channels;
  /** Whether it is more than a bare codestream. */
  readonly hasBoxes: boolean;
  readonly levels: StoredLevels;
  readonly colour: Colour;
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Reads what a file is; throws `unreadable` where it is damaged, cut off, or contradicts itself. */
export const openFile = async (open: Codestreams["open"], bytes: FileBytes): Promise<Opened> => {
  const { place, header } = await readFile(bytes);
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

/** What of a file is to be decoded. */
export interface Part {
  readonly level: StoredLevel;
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  /** Bytes that it may take. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Decodes the pixels of a part; throws `unreadable` where they would take too much memory. */
export const decodePart = async (
  decoder: CodestreamDecoder,
  reader: RangeReader,
  file: Opened,
  { level, region, most, signal }: Part,
): Promise<Picture> => {
  checkCost(file, region, most);
  const { codestream, channels } = file;
  const { header } = codestream;
  const cut = cutOf(header, level, region);
  const wanted = { codestream, reader, region: cut.region, reduce: level.reduce, signal };
  const sources = sourcesOf(channels);
  if (isReady(file)) {
    const components = sources.map(({ component }) => component);
    const { samples } = await decoder.decodeInterleaved({ ...wanted, components });
    return { values: samples, depth: 8, channels: sources.length };
  }
  const components = [...new Set(sources.map(({ component }) => component))];
  const { planes } = await decoder.decodeRegion({ ...wanted, components });
  const byComponent = new Map<number, Plane>();
  for (const [index, component] of components.entries()) {
    const plane = planes[index];
    if (plane !== undefined) byComponent.set(component, plane);
  }
  const depth = depthOf(channels, header.components);
  return pictureOf(channels, byComponent, { pixels: cut.pixels, depth, signal });
};

/** What decoding a part would go through. */
export const surveyPart = (
  decoder: CodestreamDecoder,
  reader: RangeReader,
  { codestream, channels }: Opened,
  { level, region, signal }: Omit<Part, "most">,
): Promise<RegionSurvey> => {
  const cut = cutOf(codestream.header, level, region);
  const components = [...new Set(sourcesOf(channels).map(({ component }) => component))];
  const { reduce } = level;
  return decoder.survey({ codestream, reader, region: cut.region, reduce, components, signal });
};

const checkCost = ({ codestream, channels }: Opened, region: Rect, most: number): void => {
  const sources = sourcesOf(channels);
  const values = sources.length * (depthOf(channels, codestream.header.components) / 8);
  // Coefficients and samples of each component, and the pixels that become of them, once or twice.
  const bytes = area(region) * (sources.length * 6 + values * 2);
  if (bytes > most)
    fail(
      "unreadable",
      `Expected a part of a JPEG 2000 of at most ${most} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};

/** Whether samples are the pixels as they come out of the codestream: 8 bits, and nothing to be done with them. */
export const isReady = ({ channels, codestream: { header } }: Opened): boolean =>
  channels.space.coding === "plain" &&
  !channels.premultiplied &&
  sourcesOf(channels).every(({ component, column }) => {
    const { precision, signed, dx, dy } = header.components[component] ?? noComponent;
    return column === undefined && precision === 8 && !signed && dx === 1 && dy === 1;
  });

const noComponent = { precision: 0, signed: false, dx: 1, dy: 1 };
