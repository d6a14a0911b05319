import type { ImageInfo } from "../core/info.ts";
import { formatNamed } from "../formats/registry.ts";

/**
 * Counts up whenever what is known of an image, or how it is written down, changes: records of any
 * other number are misses. `info-record.test.ts` fails when it was forgotten.
 */
const schema = 4;

/** What is kept of an image, to be known again by another process. */
export interface InfoRecord {
  readonly info: ImageInfo;
  /** Of the stored object it was learned from. */
  readonly version: string;
  /** In bytes, of the stored object. */
  readonly size: number;
  readonly lastModified?: Date;
}

/** The record as JSON text in UTF-8. */
export const writeRecord = ({ info, version, size, lastModified }: InfoRecord): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ schema, version, size, modified: lastModified?.getTime(), info }),
  );

/** What was written; undefined for another schema, and for anything that is no record. */
export const readRecord = (bytes: Uint8Array): InfoRecord | undefined => {
  const read = parsed(bytes);
  if (!isRecord(read)) return undefined;
  const { info, version, size, modified } = read;
  return {
    info,
    version,
    size,
    ...(modified === undefined ? {} : { lastModified: new Date(modified) }),
  };
};

interface RecordFields {
  readonly schema: number;
  readonly version: string;
  readonly size: number;
  readonly modified?: number;
  readonly info: ImageInfo;
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};

// The entry's checksum says that it is ours and whole; its schema, that the rest is as it was
// written.
const isRecord = (value: unknown): value is RecordFields => {
  if (typeof value !== "object" || value === null) return false;
  const { schema: written, version, size, info } = value as Partial<RecordFields>;
  return (
    written === schema &&
    typeof version === "string" &&
    typeof size === "number" &&
    typeof info === "object" &&
    formatNamed(info.format) !== undefined &&
    Array.isArray(info.pages) &&
    info.pages.length > 0
  );
};
