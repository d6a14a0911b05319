import { fail } from "../../../core/errors.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { type Box, ByteWindow, boxesIn } from "../../containers/index.ts";
import type { CodestreamPlace } from "../codestream/index.ts";
import { type FileHeader, noHeader, readHeader } from "./header.ts";

/** A file being parsed: its latest bytes are in memory for the next read. */
export interface FileBytes {
  readonly reader: RangeReader;
  readonly window: ByteWindow;
  readonly signal: AbortSignal;
}

/** The bytes of a file before reading. */
export const bytesOf = (reader: RangeReader, signal: AbortSignal): FileBytes => ({
  reader,
  window: new ByteWindow(reader, reader.size, signal),
  signal,
});

/** The parts of a file needed to read its image. */
export interface Jpeg2000File {
  /**
   * Range of a codestream: the first one unless stated otherwise, which is the image that every
   * reader shows.
   */
  readonly place: CodestreamPlace;
  readonly header: FileHeader;
}

/** Metadata blocks as far as found. */
export type MetadataKind = "exif" | "xmp";

/** A bare codestream begins with SOC and SIZ (ISO/IEC 15444-1, A.3). */
const bareStart = [0xff, 0x4f, 0xff, 0x51];
/** EOC, which encoded bytes never contain. */
const endMark = Buffer.from([0xff, 0xd9]);
/** Some writers append a few bytes. */
const maxBehindEnd = 4_096;

/**
 * Parses the boxes of a JP2, JPX or JPH file (ISO/IEC 15444-1, annex I) up to its codestream; a
 * bare codestream has none. Throws `unreadable` where there is no codestream, or it has no end.
 */
export const readFile = async (bytes: FileBytes): Promise<Jpeg2000File> => {
  const { reader, window } = bytes;
  const start = await window.at(0, bareStart.length);
  if (bareStart.every((byte, index) => start[index] === byte)) {
    await checkEnd(bytes);
    return { place: { offset: 0, length: reader.size }, header: noHeader };
  }
  let header = noHeader;
  for await (const box of boxesIn(window, { from: 0, to: reader.size })) {
    if (box.type === "jp2h" && header === noHeader) header = await readHeader(window, box);
    if (box.type !== "jp2c") continue;
    if (box.missing > 0)
      fail(
        "unreadable",
        `Truncated JPEG 2000: the last ${box.missing} bytes of its codestream are missing.`,
      );
    if (!box.bounded) await checkEnd(bytes);
    return { place: { offset: box.offset, length: box.length }, header };
  }
  return fail("unreadable", "The JPEG 2000 file has no codestream.");
};

/** Throws for a file truncated within a codestream of no stated length. */
const checkEnd = async ({ reader, signal }: FileBytes): Promise<void> => {
  const length = Math.min(reader.size, maxBehindEnd);
  const bytes = await reader.read(reader.size - length, length, signal);
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(endMark))
    fail("unreadable", "Truncated JPEG 2000: the file ends within its codestream.");
};

/** Collects metadata from all boxes; anything larger than a megabyte is skipped. */
export const readMetadata = async ({
  reader,
  window,
}: FileBytes): Promise<Partial<Record<MetadataKind, Uint8Array>>> => {
  const found: Partial<Record<MetadataKind, Uint8Array>> = {};
  for await (const box of boxesIn(window, { from: 0, to: reader.size })) {
    if (!isMetadata(box)) continue;
    const bytes = (await window.at(box.offset, box.length)).subarray(0, box.length);
    const kind = kindOf(box, bytes);
    if (kind !== undefined) found[kind] ??= bytes.slice(box.type === "uuid" ? uuidBytes : 0);
  }
  return found;
};

const largestMetadata = 1_048_576;
const uuidBytes = 16;

const isMetadata = ({ type, length }: Box): boolean =>
  (type === "uuid" || type === "xml ") && length <= largestMetadata;

const kindOf = ({ type }: Box, bytes: Uint8Array): MetadataKind | undefined => {
  const start = Buffer.from(bytes.subarray(0, uuidBytes));
  if (type === "uuid") return uuids.get(start.toString("hex"));
  // Some writers put XMP into an XML box.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096));
  return text.includes("x:xmpmeta") || text.includes("rdf:RDF") ? "xmp" : undefined;
};

const uuids: ReadonlyMap<string, MetadataKind> = new Map([
  ["be7acfcb97a942e89c71999491e3afac", "xmp"],
  // The letters JpgTiffExif->JP2.
  ["4a706754696666457869662d3e4a5032", "exif"],
]);
