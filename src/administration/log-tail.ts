import { masked } from "../config/masked.ts";
import type { LogFields, Logger } from "../core/log.ts";
import {
  type LogEntry,
  type LogLevel,
  type LogPage,
  type LogQuery,
  logLevels,
} from "./log-entry.ts";

/** Maximum length of a text in an entry, in characters. */
const maxCharacters = 2_000;
/** Maximum number of fields of an entry. */
const maxFields = 32;
/** Default and maximum number of returned entries. */
const usualLimit = 200;
const maxLimit = 1_000;

/** The latest entries of the application log. */
export class LogTail {
  readonly #max: () => number;
  readonly #entries: LogEntry[] = [];
  #last = 0;

  /** `max` is the number of entries to keep. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** Adds an entry. */
  keep(level: LogLevel, message: string, fields: LogFields = {}): void {
    const max = this.#max();
    this.#last++;
    if (max > 0)
      this.#entries.push({
        number: this.#last,
        time: new Date(),
        level,
        message: short(message),
        fields: plain(fields),
      });
    // In batches: shifting all entries for each one would be slow.
    if (this.#entries.length > max * 1.25) this.#entries.splice(0, this.#entries.length - max);
  }

  /** A logger that also keeps entries of the enabled levels. */
  keeping(log: Logger, wants: (level: LogLevel) => boolean): Logger {
    const both =
      (level: LogLevel): Logger[LogLevel] =>
      (message, fields) => {
        if (wants(level)) this.keep(level, message, fields);
        log[level](message, fields);
      };
    return {
      trace: both("trace"),
      debug: both("debug"),
      info: both("info"),
      warn: both("warn"),
      error: both("error"),
    };
  }

  find({ after = 0, level = "trace", text = "", limit = usualLimit }: LogQuery): LogPage {
    const max = this.#max();
    const wanted = text.toLowerCase();
    const lowest = logLevels.indexOf(level);
    const count = Math.max(0, Math.min(limit, maxLimit, max));
    const found: LogEntry[] = [];
    for (let at = this.#entries.length - 1; at >= 0 && found.length < count; at--) {
      const entry = this.#entries[at];
      if (entry === undefined || entry.number <= after || entry.number <= this.#last - max) break;
      if (logLevels.indexOf(entry.level) >= lowest && holds(entry, wanted)) found.push(entry);
    }
    return { entries: found.reverse(), last: this.#last, kept: max };
  }
}

const holds = ({ message, fields }: LogEntry, wanted: string): boolean =>
  wanted === "" ||
  message.toLowerCase().includes(wanted) ||
  JSON.stringify(fields).toLowerCase().includes(wanted);

const short = (text: string): string => {
  const shown = masked(text);
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown;
};

/** Headers with credentials are in no log (`logging/application.ts`), and so not here. */
const hidden = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^headers$/i;

const plain = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxFields)
      .filter(([name]) => !hidden.test(name))
      .map(([name, value]) => [name, plainValue(value)]),
  );

const plainValue = (value: unknown): unknown => {
  if (value instanceof Error) return short(`${value.message}\n${value.stack ?? ""}`);
  switch (typeof value) {
    case "number":
    case "boolean":
    case "undefined":
      return value;
    case "string":
      return short(value);
    default:
      return short(textOf(value));
  }
};

const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Circular, or contains something without a JSON form.
    return String(value);
  }
};
