import { multistream, type Logger as Pino, pino } from "pino";
import { masked } from "../config/masked.ts";
import type { LogFields, Logger } from "../core/log.ts";
import type { Sink } from "./sinks.ts";

/** A sink of JSON entries and its minimum level. */
export interface LogTarget {
  readonly sink: Sink;
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "silent";
}

/** Creates JSON entries in Logstash's format and passes each to the outlets of its level. */
export const entriesTo = (outlets: readonly LogTarget[]): Logger => {
  const streams = outlets
    .filter((outlet) => outlet.level !== "silent")
    .map((outlet) => ({ level: outlet.level, stream: outlet.sink }) as const);
  const order = ["trace", "debug", "info", "warn", "error"] as const;
  const lowest = order.find((level) => streams.some((stream) => stream.level === level));
  const logger = pino(
    {
      level: lowest ?? "silent",
      base: { "@version": "1" },
      messageKey: "message",
      timestamp: () => `,"@timestamp":"${new Date().toISOString()}"`,
      formatters: {
        level: (label, number) => ({ level: label.toUpperCase(), level_value: number }),
      },
      redact: { paths: secretFields, censor: "(masked)" },
    },
    multistream(streams),
  );
  return {
    trace: entry(logger, "trace"),
    debug: entry(logger, "debug"),
    info: entry(logger, "info"),
    warn: entry(logger, "warn"),
    error: entry(logger, "error"),
  };
};

const secretHeaders = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
const secretFields = secretHeaders.flatMap((name) => [`["${name}"]`, `headers["${name}"]`]);

const entry =
  (logger: Pino, level: keyof Logger) =>
  (message: string, fields?: LogFields): void => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level](fields === undefined ? {} : plainFields(fields), masked(message));
  };

const plainFields = (fields: LogFields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      // Fields must not overwrite an entry's own names.
      reserved.has(name) ? `${name}_` : name,
      value instanceof Error
        ? { message: masked(value.message), stack: masked(stackWithCauses(value)) }
        : value,
    ]),
  );

const reserved: ReadonlySet<string> = new Set([
  "@timestamp",
  "@version",
  "level",
  "level_value",
  "message",
]);

/** Causes nested deeper than this are omitted. */
const deepest = 8;

/** The stack of an error and of each of its causes. */
const stackWithCauses = (error: Error): string => {
  const stacks: string[] = [];
  let at: unknown = error;
  while (at instanceof Error && stacks.length < deepest) {
    stacks.push(at.stack ?? String(at));
    at = at.cause;
  }
  if (at !== undefined && !(at instanceof Error)) stacks.push(String(at));
  return stacks.join("\nCaused by: ");
};
