import type { SqlRow } from "../clients/sql.ts";
import { fail } from "../core/errors.ts";
import type { JdbcDialect, StatementForm, TableNames } from "./jdbc-dialects.ts";

/** The columns of a table, as far as entries need them. */
export interface Columns {
  readonly form: StatementForm;
  /** The type of `last_accessed`. */
  readonly timeType: string;
  /** The collation of names. */
  readonly collation: string | null;
  /** Whether names are unique. */
  readonly isUnique: boolean;
  /** Whether it has our column of sizes. */
  readonly hasBytes: boolean;
  /** Maximum bytes of an entry. */
  readonly maxBytes: number;
}

interface Column {
  readonly type: string;
  readonly length: number | null;
  readonly collation: string | null;
  readonly isUnique: boolean;
}

/** Length of derivatives' names; those of infos are shorter. */
const nameLength = 71;

/**
 * What the columns of a table are suitable for. Throws `malformed`, with what was expected, where
 * one is missing or of an unsuitable type.
 */
export const columnsOf = (
  rows: readonly SqlRow[],
  { table, name, value }: TableNames,
  { types }: JdbcDialect,
): Columns => {
  const columns = new Map(rows.map((row) => [String(row["name"]).toLowerCase(), columnOf(row)]));
  const need = (column: string, expected: readonly string[]): Column => {
    const found = columns.get(column);
    const isFit = found && (expected.length === 0 || expected.includes(found.type));
    if (isFit) return found;
    return fail(
      "malformed",
      `Expected a column '${column}' ${expected.length > 0 ? `(${expected.join(" or ")}) ` : ""}in the table ${table}, or no such table, which is then created; got ${found?.type ?? "none"}.`,
    );
  };
  const names = need(name, types.text.concat(types.bytes));
  const times = need("last_accessed", types.time);
  const values = need(value, value === "image" ? types.image : types.bytes.concat(types.text));
  if (names.length !== null && names.length < nameLength)
    fail(
      "malformed",
      `Expected a column '${name}' of at least ${nameLength} characters in the table ${table}; it has ${names.length}.`,
    );
  const form = types.text.includes(values.type) ? "base64" : "bytes";
  const room = values.length ?? Number.POSITIVE_INFINITY;
  return {
    form,
    timeType: times.type,
    collation: names.collation,
    isUnique: names.isUnique,
    hasBytes: columns.has("bytes"),
    maxBytes: form === "base64" ? Math.floor(room / 4) * 3 : room,
  };
};

const columnOf = (row: SqlRow): Column => ({
  type: String(row["type"]).replace(/\(.*$/, ""),
  length: row["length"] === null ? null : Number(row["length"]),
  collation: typeof row["collated"] === "string" ? row["collated"] : null,
  isUnique: row["alone"] === true || Number(row["alone"]) === 1,
});
