import type { SqlRow, SqlValue } from "./sql-session.ts";

/** A file of SQLite. */
export interface SqliteFile {
  readonly path: string;
  /** Whether it must be there already, and nothing can be written to it. */
  readonly readOnly?: true;
}

/** A statement for the thread that has a file open. */
export interface SqliteRequest extends SqliteFile {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What became of it. */
export type SqliteAnswer =
  | { readonly rows: readonly SqlRow[]; readonly changes: number }
  | { readonly error: string; readonly code: string };
