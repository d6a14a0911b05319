import type { SqlRow, SqlValue } from "./sql-session.ts";

/** An SQLite file. */
export interface SqliteFile {
  readonly path: string;
  /** Whether it must exist already, and is read-only. */
  readonly readOnly?: true;
}

/** A statement for the thread that has a file open. */
export interface SqliteRequest extends SqliteFile {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Its result. */
export type SqliteAnswer =
  | { readonly rows: readonly SqlRow[]; readonly changes: number }
  | { readonly error: string; readonly code: string };
