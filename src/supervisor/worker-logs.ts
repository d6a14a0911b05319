import type { Settings } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";
import { isAccessLogged, isDebugLogged } from "../logging/enabled.ts";
import { loggingKeys } from "../logging/keys.ts";
import type { Logs } from "../logging/logs.ts";
import type { SupervisorLink } from "./worker.ts";

/** A worker's logs: the supervisor writes them, since only one process can rotate files. */
export const workerLogs = (config: Config, { tell }: Pick<SupervisorLink, "tell">): Logs => {
  const settings = config.view(loggingKeys);
  let entries: AccessEntry[] = [];
  let sending: NodeJS.Timeout | undefined;
  let lost = 0;
  const entry =
    (level: keyof Logger): Logger[keyof Logger] =>
    (message, fields) => {
      if (levels.indexOf(level) < lowest(settings())) return;
      const plain = fields === undefined ? undefined : sendable(fields);
      if (!tell({ kind: "entry", level, message, ...(plain && { fields: plain }) })) lost++;
    };
  const application: Logger = {
    trace: entry("trace"),
    debug: entry("debug"),
    info: entry("info"),
    warn: entry("warn"),
    error: entry("error"),
  };
  const send = (): void => {
    clearTimeout(sending);
    sending = undefined;
    if (lost > 0) {
      const count = lost;
      lost = 0;
      application.warn("Log entries arrived faster than they could be written", { lost: count });
    }
    if (entries.length > 0 && !tell({ kind: "access", entries })) lost += entries.length;
    entries = [];
  };
  return {
    application,
    access: (one) => {
      if (!isAccessLogged(settings())) return;
      entries.push(one);
      if (entries.length >= maxAtOnce) send();
      else sending ??= setTimeout(send, gatherMs);
    },
    isAccessLogged: () => isAccessLogged(settings()),
    isDebugLogged: () => isDebugLogged(settings()),
    close: async () => send(),
  };
};

const levels: readonly (keyof Logger)[] = ["trace", "debug", "info", "warn", "error"];

type LogSettings = Settings<typeof loggingKeys>;

const lowest = (settings: LogSettings): number => {
  const level = settings["log.application.level"];
  if (level === "all") return 0;
  // The error log takes warnings and errors whatever the application log takes.
  const wanted = level === "off" ? levels.length : levels.indexOf(level);
  return keepsErrors(settings) ? Math.min(wanted, levels.indexOf("warn")) : wanted;
};

const keepsErrors = (settings: LogSettings): boolean =>
  settings["log.error.FileAppender.enabled"] || settings["log.error.RollingFileAppender.enabled"];

/** Maximum milliseconds and number of access entries that are batched. */
const gatherMs = 50;
const maxAtOnce = 200;

// Only plain data can be sent between processes; functions in it would throw.
const sendable = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error
        ? value
        : typeof value === "object" && value !== null
          ? JSON.parse(JSON.stringify(value))
          : typeof value === "function" || typeof value === "symbol"
            ? String(value)
            : value,
    ]),
  );
