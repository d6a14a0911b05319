import type { LogFields, Logger } from "../core/log.ts";

export type LogLevel = keyof Logger;

/** The levels, least severe first. */
export const logLevels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error"];

/**
 * An entry of the application log for display: plain data, truncated where long, secrets masked.
 */
export interface LogEntry {
  /** Increases by 1 with each entry, from 1 at the start. */
  readonly number: number;
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** The worker's number is in the field `worker`. */
  readonly fields: LogFields;
}

/** Filters of log entries. */
export interface LogQuery {
  /** Only entries with higher numbers. */
  readonly after?: number;
  /** Only this level and more severe ones. */
  readonly level?: LogLevel;
  /** Only entries with this text in message or fields, ignoring case. */
  readonly text?: string;
  /** The latest so many; 200, and 1000 at most. */
  readonly limit?: number;
}

/** Matching entries, oldest first. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** The number of the latest entry, matching or not: the next `after`. */
  readonly last: number;
  /** Maximum number of entries. */
  readonly kept: number;
}
