import type { Readable } from "node:stream";
import type { Style } from "./style.ts";

/** The environment of a command. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes progress and problems. */
  err(text: string): void;
  /** The input of commands; absent where there is none. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Styles text for `out`; returns it unchanged where that shows no colours. */
  readonly outStyle: Style;
  /** Styles text for `err`; returns it unchanged where that shows no colours. */
  readonly errStyle: Style;
  /** Width of the terminals that `out` and `err` write to; undefined for files and pipes. */
  readonly outColumns: number | undefined;
  readonly errColumns: number | undefined;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
}

/** Sets a command's exit code; 0 by default. */
export type Exit = (code: ExitCode) => void;

/** 0 done, 1 failed, 2 wrong command line or configuration. */
export type ExitCode = 0 | 1 | 2;

/** An invalid command line; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Writes an error to `err`. */
export const writeError = ({ err, errStyle }: Terminal, message: string): void =>
  err(`${errStyle("error", "error:")} ${message}\n`);

/** Writes a warning to `err`. */
export const writeWarning = ({ err, errStyle }: Terminal, message: string): void =>
  err(`${errStyle("warning", "warning:")} ${message}\n`);
