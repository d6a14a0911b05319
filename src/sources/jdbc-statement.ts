import type { Dialect, Statement } from "../clients/sql.ts";
import { countPlaceholders } from "../clients/sql-placeholders.ts";
import type { ByteRange } from "../core/range-reader.ts";

/** How an identifier's image is found in a database. Every `?` represents the identifier. */
export interface ImageQuery {
  /** The identifier in the database. */
  readonly identifier: string;
  /** A SELECT with one column, the bytes of the image. */
  readonly lookup: string;
  /** A SELECT of one value that changes with the image, or that value itself; absent: unknown. */
  readonly lastModified?: string;
}

/** Whether a text is a SELECT statement: anything else is a value. */
export const isSelect = (text: string): boolean => /^\s*(?:SELECT|WITH)\b/i.test(text);

/**
 * Whether a text can be the statement that finds an image: a SELECT with a `?` for the identifier.
 */
export const findsImages = (text: string): boolean => isSelect(text) && countPlaceholders(text) > 0;

/**
 * A statement that reads a range of an image as `blob_part`, with its total size in bytes as
 * `blob_size` and its version as `blob_version`, all at the same moment. No row, or no size: there
 * is no image.
 */
export const partStatement = (
  dialect: Dialect,
  { identifier, lookup, lastModified }: ImageQuery,
  { offset, length }: ByteRange,
): Statement => {
  const version =
    lastModified !== undefined && isSelect(lastModified) ? `(${bare(lastModified)}\n)` : "NULL";
  const text = `SELECT ${sizes[dialect]} AS blob_size, ${parts[dialect]} AS blob_part, ${version} AS blob_version
FROM (WITH image (blob_bytes) AS (${bare(lookup)}
) SELECT blob_bytes FROM image) AS found`;
  const others = countPlaceholders(version) + countPlaceholders(lookup);
  return { text, values: [offset + 1, length, ...Array<string>(others).fill(identifier)] };
};

/** Without a trailing semicolon. */
const bare = (text: string): string => text.trim().replace(/;$/, "");

const sizes: Readonly<Record<Dialect, string>> = {
  postgresql: "octet_length(blob_bytes)",
  mysql: "octet_length(blob_bytes)",
  // Of bytes, not of characters, since these are bytes.
  sqlite: "length(blob_bytes)",
};

const parts: Readonly<Record<Dialect, string>> = {
  postgresql: "substring(blob_bytes from ?::int for ?::int)",
  mysql: "substring(blob_bytes, ?, ?)",
  sqlite: "substr(blob_bytes, ?, ?)",
};
