import type { LogFields, Logger } from "../core/log.ts";

export type LogLevel = keyof Logger;

/** The levels, the least important first. */
export const logLevels: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error"];

/**
 * An entry of the application log, as it is shown: plain data, cut where it is long, secrets
 * masked.
 */
export interface LogEntry {
  /** Grows by 1 from entry to entry, from 1 at the start. */
  readonly number: number;
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** The worker's number is the field `worker`. */
  readonly fields: LogFields;
}

/** Which entries are wanted. */
export interface LogQuery {
  /** Only entries with greater numbers. */
  readonly after?: number;
  /** Only this level and more important ones. */
  readonly level?: LogLevel;
  /** Only entries that have this text in message or fields, whatever the case. */
  readonly text?: string;
  /** The latest so many; 200, and 1000 at most. */
  readonly limit?: number;
}

/** Entries that were found, the oldest first. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** The number of the latest entry there is, found or not: what to ask `after` next time. */
  readonly last: number;
  /** How many entries are kept at most. */
  readonly kept: number;
}
