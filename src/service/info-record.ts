import type { ImageInfo } from "../core/info.ts";
import { formatNamed } from "../formats/registry.ts";

/**
 * Incremented whenever the fields of infos or their encoding change: records of other numbers are
 * misses. `info-record.test.ts` fails when this was forgotten.
 */
const schema = 5;

/** The persisted info of an image, for other processes. */
export interface InfoRecord {
  readonly info: ImageInfo;
  /** Of the stored object it was read from. */
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

/** The decoded record; undefined for another schema, and for invalid data. */
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

// The entry's checksum guarantees that we wrote it and that it is intact; the schema guarantees its
// fields.
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
