import { defineKeys } from "../config/keys.ts";
import { accessFormats } from "./access.ts";

/** Keys of the application, error and access logs. All take effect at once. */
export const loggingKeys = defineKeys({
  "log.application.level": {
    type: "choice",
    choices: ["trace", "debug", "info", "warn", "error", "all", "off"],
    default: "info",
    doc: "The lowest level of entries in the application log. The access log is independent of it.",
  },
  "log.application.ConsoleAppender.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether the application log is written to standard error.",
  },
  "log.application.ConsoleAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the console gets one JSON object per entry, in Logstash's format, instead of text.",
  },
  "log.application.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the application log is written to a file.",
  },
  "log.application.FileAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether that file gets JSON instead of text.",
  },
  "log.application.FileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of that file. Its folder is created if missing.",
  },
  "log.application.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the application log is written to a file that is rotated at the end of each period.",
  },
  "log.application.RollingFileAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether that file gets JSON instead of text.",
  },
  "log.application.RollingFileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of the active log file.",
  },
  "log.application.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names of rotated files. `%d{yyyy-MM-dd}` stands for the period; its smallest unit (MM, dd, HH, mm) is the period's length. A name that ends in `.gz` is compressed.",
  },
  "log.application.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "Maximum number of rotated files; 0 for no limit.",
  },
  "log.error.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether warnings and errors are also written to a file of their own.",
  },
  "log.error.FileAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether that file gets JSON instead of text.",
  },
  "log.error.FileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of that file.",
  },
  "log.error.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether warnings and errors are also written to a file of their own that is rotated at the end of each period.",
  },
  "log.error.RollingFileAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether that file gets JSON instead of text.",
  },
  "log.error.RollingFileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of the active log file.",
  },
  "log.error.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names of rotated files, as for the application log.",
  },
  "log.error.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "Maximum number of rotated files; 0 for no limit.",
  },
  "log.access.format": {
    type: "choice",
    choices: accessFormats,
    default: "combined",
    doc: "Format of the access log: `combined`, as web servers have it, with the milliseconds spent at the end, or `json`, one object per line, with the request id, the image and the milliseconds of each stage as well.",
  },
  "log.access.ConsoleAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log is written to standard output.",
  },
  "log.access.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log is written to a file, one line per request.",
  },
  "log.access.FileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of that file.",
  },
  "log.access.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log is written to a file that is rotated at the end of each period.",
  },
  "log.access.RollingFileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Path of the active log file.",
  },
  "log.access.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names of rotated files, as for the application log.",
  },
  "log.access.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "Maximum number of rotated files; 0 for no limit.",
  },
});
