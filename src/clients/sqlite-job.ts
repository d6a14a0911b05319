import type { Row, Value } from "./sql-session.ts";

/** A statement for the thread that has a file open. */
export interface SqliteRequest {
  readonly path: string;
  readonly text: string;
  readonly values: readonly Value[];
}

/** What became of it. */
export type SqliteAnswer =
  | { readonly rows: readonly Row[]; readonly changes: number }
  | { readonly error: string; readonly code: string };
