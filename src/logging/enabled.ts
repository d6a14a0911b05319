import type { Settings } from "../config/keys.ts";
import type { loggingKeys } from "./keys.ts";

type LoggingSettings = Settings<typeof loggingKeys>;

/** Whether any access log is enabled. */
export const isAccessLogged = (settings: LoggingSettings): boolean =>
  settings["log.access.ConsoleAppender.enabled"] ||
  settings["log.access.FileAppender.enabled"] ||
  settings["log.access.RollingFileAppender.enabled"];

/** Whether the application log takes entries of level debug. */
export const isDebugLogged = (settings: LoggingSettings): boolean =>
  ["all", "trace", "debug"].includes(settings["log.application.level"]);
