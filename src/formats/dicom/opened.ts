import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { Attributes } from "./attributes.ts";
import { bareLength, bareSyntax } from "./bare.ts";
import { type Description, describe } from "./description.ts";
import { type DataSet, type ElementFilter, walk } from "./elements.ts";
import { type FrameIndex, indexFrames } from "./fragments.ts";
import { type NativePixels, nativeBytes } from "./native.ts";
import { type PixelCoding, type Syntax, syntaxOf } from "./syntaxes.ts";
import { dicomTags as tags } from "./tags.ts";

/** How the frames of a file form pages: each is one, or they are the tiles of larger images. */
export interface FrameGrid {
  /** Of a page. */
  readonly size: Size;
  readonly columns: number;
  readonly rows: number;
  readonly pages: number;
}

/** The parsed structure of a file. */
export interface OpenedDicom {
  readonly attributes: Attributes;
  readonly description: Description;
  readonly grid: FrameGrid;
  /** The pixels: uncompressed in the file, or encoded frame by frame. */
  readonly pixels:
    | { readonly coding: "native"; readonly native: NativePixels }
    | { readonly coding: Exclude<PixelCoding, "native">; readonly index: FrameIndex };
  /** The inflated content of a deflated file; undefined for all others. */
  readonly inflated: Buffer | undefined;
  readonly profile: Buffer | undefined;
  /** Approximate memory. */
  readonly bytes: number;
}

const preamble = 128;
const prefix = "DICM";
const metaGroup = 0x0002;

const metaWanted = { values: new Set<number>([tags.transferSyntax]), sequences: new Set<number>() };

/**
 * Sequences that contain wanted values; all other values of `tags` are read wherever these lead.
 */
const sequences: ReadonlySet<number> = new Set([
  tags.modalityTables,
  tags.windowTables,
  tags.frameWindow,
  tags.pixelTransformation,
  tags.opticalPaths,
  tags.sharedGroups,
  tags.frameGroups,
]);

const wanted = {
  values: new Set<number>(Object.values(tags).filter((tag) => !sequences.has(tag))),
  sequences,
};

const inflate = promisify(inflateRaw);

const ownBytes = 4_096;

/**
 * Parses a DICOM file (PS3.10, section 7) without its pixels. Throws `unreadable` where it contains
 * no image, is corrupt, or ends before its pixels do; a deflated one may have `max` bytes.
 */
export const openDicom = async (
  reader: RangeReader,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<OpenedDicom> => {
  const { source, data, syntax, inflated } = await readElements(reader, { wanted, max, signal });
  return put(source, data, { syntax, inflated, signal });
};

/** The elements of a file up to its pixels. */
export interface DicomElements {
  /** Their container: the file, or its inflated content. */
  readonly source: RangeReader;
  readonly data: DataSet;
  readonly syntax: Syntax;
  /** As stated in the file; undefined where it is not. */
  readonly syntaxName: string | undefined;
  readonly inflated: Buffer | undefined;
}

/**
 * Reads the wanted elements of a file; throws `unreadable` as `openDicom` does, but not for a
 * missing image.
 */
export const readElements = async (
  reader: RangeReader,
  {
    wanted,
    max,
    signal,
  }: { readonly wanted: ElementFilter; readonly max: number; readonly signal: AbortSignal },
): Promise<DicomElements> => {
  const meta = await walk(reader, await startOf(reader, signal), {
    encoding: { explicit: true, littleEndian: true },
    wanted: metaWanted,
    group: metaGroup,
    signal,
  });
  const named = new Attributes(meta.values, true).text(tags.transferSyntax);
  const uid = named ?? (meta.end === 0 ? await syntaxIn(reader, signal) : undefined);
  const syntax = syntaxOf(uid ?? "");
  const inflated = syntax.deflated
    ? await inflatedFrom(reader, meta.end, { max, signal })
    : undefined;
  const source = inflated === undefined ? reader : readerOf(inflated);
  const start = inflated === undefined ? meta.end : 0;
  const data = await walk(source, start, { encoding: syntax, wanted, signal });
  return { source, data, syntax, syntaxName: named, inflated };
};

/** The transfer syntax of a file that is a bare data set; undefined for any other. */
const syntaxIn = async (reader: RangeReader, signal: AbortSignal): Promise<string | undefined> => {
  const bytes = await reader.read(0, Math.min(reader.size, bareLength), signal);
  return bareSyntax(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
};

/** Some files have no preamble. */
const startOf = async (reader: RangeReader, signal: AbortSignal): Promise<number> => {
  const bytes = await reader.read(0, Math.min(reader.size, preamble + prefix.length), signal);
  const said = Buffer.from(bytes).toString("latin1", preamble);
  return said === prefix ? preamble + prefix.length : 0;
};

const put = async (
  source: RangeReader,
  { values, pixels: element, bytes }: DataSet,
  {
    syntax,
    inflated,
    signal,
  }: {
    readonly syntax: Syntax;
    readonly inflated: Buffer | undefined;
    readonly signal: AbortSignal;
  },
): Promise<OpenedDicom> => {
  const attributes = new Attributes(values, syntax.littleEndian);
  if (element === undefined)
    return fail(
      "unreadable",
      "The DICOM file has no pixel data: it is not an image, or truncated.",
    );
  const description = describe(attributes, element.tag);
  const { coding } = syntax;
  const { offset, length } = element;
  const opened = {
    attributes,
    description,
    grid: gridOf(attributes, description),
    inflated,
    profile: profileIn(attributes),
  };
  if (coding === "native") {
    if (!syntax.littleEndian && element.kind === "OW" && description.allocated === 8)
      fail(
        "unreadable",
        "Big-endian DICOM samples of 8 bits stored as words (OW) are not supported.",
      );
    const needed = nativeBytes(description);
    const there = Math.min(length ?? 0, source.size - offset);
    if (needed > there)
      fail("unreadable", `Expected ${needed} bytes of DICOM pixels, found ${Math.max(0, there)}.`);
    const native = { description, offset, littleEndian: syntax.littleEndian };
    return {
      ...opened,
      pixels: { coding, native },
      bytes: ownBytes + bytes + (inflated?.length ?? 0),
    };
  }
  if (length !== undefined) fail("unreadable", "Compressed DICOM pixels must be in fragments.");
  const { frames } = description;
  const index = await indexFrames({ reader: source, offset, frames, attributes, signal });
  return { ...opened, pixels: { coding, index }, bytes: ownBytes + bytes + index.bytes };
};

/** The parts read after opening. */
export const pixelSource = (reader: RangeReader, { inflated }: OpenedDicom): RangeReader =>
  inflated === undefined ? reader : readerOf(inflated);

const inflatedFrom = async (
  reader: RangeReader,
  from: number,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Buffer> => {
  const length = reader.size - from;
  if (length > max)
    fail("unreadable", `Expected a deflated DICOM file of at most ${max} bytes, not ${length}.`);
  const deflated = await reader.read(from, length, signal);
  try {
    return await inflate(deflated, { maxOutputLength: max });
  } catch (error) {
    return fail(
      "unreadable",
      `Corrupt deflated data in the DICOM file, or more than ${max} bytes of it.`,
      error,
    );
  }
};

/** A reader of bytes in memory. */
export const readerOf = (bytes: Uint8Array): RangeReader => ({
  size: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
  stream: () => fail("internal", "Expected to be read by ranges."),
  close: async () => {},
});

/** Maximum number of pages. */
const maxPages = 10_000;

/**
 * The tiles of a whole slide image are in row order, plane by plane (PS3.3, C.7.6.17.3,
 * TILED_FULL).
 */
const gridOf = (attributes: Attributes, { size, frames }: Description): FrameGrid => {
  const single = { size, columns: 1, rows: 1, pages: Math.min(frames, maxPages) };
  const width = attributes.whole(tags.matrixColumns) ?? 0;
  const height = attributes.whole(tags.matrixRows) ?? 0;
  const isTiled = attributes.text(tags.dimensionOrganization) === "TILED_FULL";
  if (!isTiled || width < 1 || height < 1) return single;
  const columns = Math.ceil(width / size.width);
  const rows = Math.ceil(height / size.height);
  const pages = frames / (columns * rows);
  if (!Number.isInteger(pages)) return single;
  return { size: { width, height }, columns, rows, pages: Math.min(pages, maxPages) };
};

/** Whole slide images have one for each optical path. */
const profileIn = (attributes: Attributes): Buffer | undefined =>
  attributes.bytes(tags.iccProfile) ?? attributes.item(tags.opticalPaths, 0).bytes(tags.iccProfile);
