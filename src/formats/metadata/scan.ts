import { withArticle } from "../../core/article.ts";
import { fail } from "../../core/errors.ts";
import type { ByteRange, RangeReader } from "../../core/range-reader.ts";
import { ByteWindow } from "../containers/index.ts";
import { type BlockKind, type Findings, largest, longestText } from "./findings.ts";
import type { MetadataReaders } from "./readers.ts";

const maxReads = 2_048;
const maxBytes = 67_108_864;

/** A file being scanned. */
export interface Scan extends MetadataReaders {
  /** Reads the file, within the limits of the scan. */
  readonly reader: RangeReader;
  readonly signal: AbortSignal;
  readonly window: ByteWindow;
  /** In bytes. */
  readonly size: number;
  readonly findings: Findings;
}

/** Finds the embedded metadata of one format. */
export type MetadataScan = (scan: Scan) => Promise<void>;

/**
 * A file to be scanned by a bounded number of reads and bytes: beyond them it fails as
 * `unreadable`.
 */
export const scanOf = (
  reader: RangeReader,
  findings: Findings,
  signal: AbortSignal,
  readers: MetadataReaders,
): Scan => {
  let reads = 0;
  let bytes = 0;
  const bounded: RangeReader = {
    // For readers that open files themselves, within limits of their own.
    ...(reader.path === undefined ? {} : { path: reader.path }),
    size: reader.size,
    stream: (...given) => reader.stream(...given),
    close: () => reader.close(),
    async read(offset, length, ...given) {
      signal.throwIfAborted();
      reads++;
      bytes += length;
      if (reads > maxReads || bytes > maxBytes)
        fail(
          "unreadable",
          `Expected metadata within ${maxReads} reads and ${maxBytes} bytes; the rest is skipped.`,
        );
      return reader.read(offset, length, ...given);
    },
  };
  return {
    reader: bounded,
    signal,
    window: new ByteWindow(bounded, reader.size, signal),
    size: reader.size,
    findings,
    ...readers,
  };
};

/**
 * Exactly so many bytes of the file; undefined where it ends before. Must be neither kept nor
 * changed.
 */
export const bytesAt = async (
  { window, size }: Pick<Scan, "window" | "size">,
  offset: number,
  length: number,
): Promise<Buffer | undefined> => {
  const fits = Number.isSafeInteger(offset + length) && offset >= 0 && length >= 0;
  if (!fits || offset + length > size) return undefined;
  const bytes = await window.at(offset, length);
  if (bytes.length < length) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, length);
};

/** The bytes of a block; undefined, with a problem, where it is too large or truncated. */
const blockAt = (scan: Scan, kind: BlockKind, place: ByteRange): Promise<Buffer | undefined> =>
  within(scan, place, { name: `block of ${kind}`, max: largest[kind] });

/** As `blockAt`, of a text of the format's own. */
export const textAt = (scan: Scan, name: string, place: ByteRange): Promise<Buffer | undefined> =>
  within(scan, place, { name, max: longestText });

/** The bytes of a range; undefined, with a problem, where they are more than `max` or truncated. */
export const within = async (
  scan: Scan,
  { offset, length }: ByteRange,
  { name, max }: { readonly name: string; readonly max: number },
): Promise<Buffer | undefined> => {
  if (length > max) {
    scan.findings.problem(
      `Expected ${withArticle(name)} of at most ${max} bytes; it has ${length} and is skipped.`,
    );
    return undefined;
  }
  const bytes = await bytesAt(scan, offset, length);
  if (bytes === undefined)
    scan.findings.problem(`Truncated file: expected ${withArticle(name)} of ${length} bytes.`);
  return bytes;
};

/** Finds a block, reads it and stores it. */
export const keepBlock = async (scan: Scan, kind: BlockKind, place: ByteRange): Promise<void> => {
  if (!scan.findings.wants(kind)) return;
  const bytes = await blockAt(scan, kind, place);
  if (bytes !== undefined) scan.findings.addBlock(kind, bytes);
};

/**
 * The bytes of a block in pieces; undefined, with a problem, where it is too large or truncated.
 */
export const joined = async (
  scan: Scan,
  kind: BlockKind,
  places: readonly ByteRange[],
): Promise<Buffer | undefined> => {
  const length = places.reduce((sum, place) => sum + place.length, 0);
  if (length > largest[kind]) {
    scan.findings.problem(
      `Expected a block of ${kind} of at most ${largest[kind]} bytes; this one has ${length} and is skipped.`,
    );
    return undefined;
  }
  const parts: Buffer[] = [];
  for (const place of places) {
    const bytes = await blockAt(scan, kind, place);
    if (bytes === undefined) return undefined;
    parts.push(Buffer.from(bytes));
  }
  return Buffer.concat(parts);
};
