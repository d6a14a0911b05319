import { type LogLevel, logLevels } from "./log-entry.ts";

/** Whether `log.application.level` includes a level. */
export const wantsLevel = (setting: LogLevel | "all" | "off", level: LogLevel): boolean =>
  setting === "all" ||
  (setting !== "off" && logLevels.indexOf(level) >= logLevels.indexOf(setting));
