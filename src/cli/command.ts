import type { Readable } from "node:stream";
import type { Style } from "./style.ts";

/** Where a command writes and what it may ask of the process. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes progress and problems. */
  err(text: string): void;
  /** What commands read; absent where they can read nothing. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Styles text for `out`; leaves it plain where that shows no colours. */
  readonly outStyle: Style;
  /** Styles text for `err`; leaves it plain where that shows no colours. */
  readonly errStyle: Style;
  /** Columns of the terminals that `out` and `err` write to; undefined for files and pipes. */
  readonly outColumns: number | undefined;
  readonly errColumns: number | undefined;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
}

/** A command's way to say how it ended; 0 unless it says so. */
export type Exit = (code: ExitCode) => void;

/** 0 done, 1 failed, 2 wrong command line or configuration. */
export type ExitCode = 0 | 1 | 2;

/** A command line that cannot be followed; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Writes an error to `err`. */
export const tellError = ({ err, errStyle }: Terminal, message: string): void =>
  err(`${errStyle("error", "error:")} ${message}\n`);

/** Writes a warning to `err`. */
export const tellWarning = ({ err, errStyle }: Terminal, message: string): void =>
  err(`${errStyle("warning", "warning:")} ${message}\n`);
