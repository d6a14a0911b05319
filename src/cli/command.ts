/** Where a command writes and what it may ask of the process. */
export interface Terminal {
  /** What was asked for goes here. */
  out(text: string): void;
  /** Progress and problems go here. */
  err(text: string): void;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
}

/** One of vitrine's commands; its number is the exit code: 0 done, 1 failed, 2 asked wrongly or badly configured. */
export interface Command {
  /** Its words and arguments, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** What its own help says behind the general one, line by line. */
  readonly details?: readonly string[];
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

export type ExitCode = 0 | 1 | 2;

/** A command line that cannot be followed; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
