import type { Settings } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { type AccessEntry, accessLine } from "./access.ts";
import { entriesTo, type LogTarget } from "./application.ts";
import { isAccessLogged, isDebugLogged } from "./enabled.ts";
import { loggingKeys } from "./keys.ts";
import { parseRolling } from "./rolling.ts";
import { consoleSink, fileSink, type OnWriteError, rollingSink, type Sink } from "./sinks.ts";
import { asText } from "./text.ts";

/** The server's logs. They apply the current settings to each entry. */
export interface Logs {
  readonly application: Logger;
  access(entry: AccessEntry): void;
  /** Whether access entries are written anywhere; absent: they are. */
  isAccessLogged?(): boolean;
  /** Whether entries of level debug are written anywhere; absent: they are. */
  isDebugLogged?(): boolean;
  /** Resolves once everything is written. */
  close(): Promise<void>;
}

/** The process's two outputs. */
export interface Outputs {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** Opens the logs that `loggingKeys` configure; throws `malformed` where that is impossible. */
export const createLogs = (config: Config, outputs: Outputs = process): Logs => {
  const view = config.view(loggingKeys);
  const settingsNow = (): string => JSON.stringify(view());
  let seen = settingsNow();
  let current = open(view(), outputs);
  const closing = new Set<Promise<void>>();
  const retire = (set: LogSet): void => {
    const done: Promise<void> = set.close().finally(() => closing.delete(done));
    closing.add(done);
  };
  const stop = config.onChange(() => {
    const now = settingsNow();
    if (now === seen) return;
    seen = now;
    try {
      const next = open(view(), outputs);
      retire(current);
      current = next;
    } catch (error) {
      current.application.error("The new log settings are invalid; the old ones stay in effect", {
        error,
      });
    }
  });
  return {
    application: {
      trace: (message, fields) => current.application.trace(message, fields),
      debug: (message, fields) => current.application.debug(message, fields),
      info: (message, fields) => current.application.info(message, fields),
      warn: (message, fields) => current.application.warn(message, fields),
      error: (message, fields) => current.application.error(message, fields),
    },
    access: (entry) => current.access(entry),
    isAccessLogged: () => isAccessLogged(view()),
    isDebugLogged: () => isDebugLogged(view()),
    close: async () => {
      stop();
      retire(current);
      await Promise.all(closing);
    },
  };
};

type LogSettings = Settings<typeof loggingKeys>;
type LogName = "application" | "error" | "access";
type LogSet = Logs;

const open = (settings: LogSettings, outputs: Outputs): LogSet => {
  const stderr = consoleSink(outputs.stderr);
  const trouble: OnWriteError = (message, error) => stderr.write(`${message}: ${error.message}\n`);
  // All faults of the settings are found before the first file is opened.
  const files = {
    application: logFiles("application", settings),
    error: logFiles("error", settings),
    access: logFiles("access", settings),
  };
  const level = levels[settings["log.application.level"]];
  const outlets: LogTarget[] = [];
  if (settings["log.application.ConsoleAppender.enabled"]) {
    const json = settings["log.application.ConsoleAppender.logstash.enabled"];
    outlets.push({ level, sink: json ? stderr : asText(stderr, "time") });
  }
  for (const name of ["application", "error"] as const)
    for (const file of files[name]) {
      const sink = file.open(trouble);
      outlets.push({
        level: name === "error" ? "warn" : level,
        sink: file.json ? sink : asText(sink, "date and time"),
      });
    }
  const access = files.access.map((file) => file.open(trouble));
  if (settings["log.access.ConsoleAppender.enabled"]) access.push(consoleSink(outputs.stdout));
  return {
    application: entriesTo(outlets),
    access: (entry) => {
      if (access.length === 0) return;
      const line = accessLine(entry, settings["log.access.format"]);
      for (const sink of access) sink.write(line);
    },
    close: async () => {
      const sinks = [...outlets.map(({ sink }) => sink), ...access];
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
};

const levels = {
  trace: "trace",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  all: "trace",
  off: "silent",
} as const;

/** A configured log file, not yet opened. */
interface LogFile {
  readonly json: boolean;
  open(trouble: OnWriteError): Sink;
}

const logFiles = (name: LogName, settings: LogSettings): LogFile[] => {
  const files: LogFile[] = [];
  const plain = `log.${name}.FileAppender` as const;
  if (settings[`${plain}.enabled`]) {
    const path = pathOf(`${plain}.pathname`, settings);
    files.push({
      json: name !== "access" && settings[`log.${name}.FileAppender.logstash.enabled`],
      open: (trouble) => fileSink(path, trouble),
    });
  }
  const rolling = `log.${name}.RollingFileAppender` as const;
  if (settings[`${rolling}.enabled`]) {
    const policy = `${rolling}.TimeBasedRollingPolicy` as const;
    const pattern = `${policy}.filename_pattern` as const;
    const file = {
      path: pathOf(`${rolling}.pathname`, settings),
      rolling: parseRolling(settings[pattern], pattern),
      maxHistory: settings[`${policy}.max_history`],
    };
    files.push({
      json: name !== "access" && settings[`log.${name}.RollingFileAppender.logstash.enabled`],
      open: (trouble) => rollingSink(file, trouble),
    });
  }
  return files;
};

const pathOf = (
  key: `log.${LogName}.${"FileAppender" | "RollingFileAppender"}.pathname`,
  settings: LogSettings,
): string => {
  const path = settings[key];
  return path === "" ? fail("malformed", `${key}: expected the path of a file, got nothing`) : path;
};
