import { defineKeys } from "../config/keys.ts";
import { accessFormats } from "./access.ts";

/** Where the application, error and access logs go. All take effect at once. */
export const loggingKeys = defineKeys({
  "log.application.level": {
    type: "choice",
    choices: ["trace", "debug", "info", "warn", "error", "all", "off"],
    default: "info",
    doc: "The least important entries that the application log still takes. The access log does not depend on it.",
  },
  "log.application.ConsoleAppender.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether the application log goes to standard error.",
  },
  "log.application.ConsoleAppender.logstash.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the console gets one JSON object per entry, as Logstash reads it, instead of text.",
  },
  "log.application.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the application log goes to a file.",
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
    doc: "That file. Its folder is created where it is missing.",
  },
  "log.application.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the application log goes to a file that is set aside when a period ends.",
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
    doc: "The file of the period that runs.",
  },
  "log.application.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names the files set aside. `%d{yyyy-MM-dd}` stands for the period; its smallest unit (MM, dd, HH, mm) is the period's length. A name that ends in `.gz` is compressed.",
  },
  "log.application.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "How many files set aside are kept; 0 for all.",
  },
  "log.error.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether warnings and errors go to a file of their own, too.",
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
    doc: "That file.",
  },
  "log.error.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether warnings and errors go to a file of their own that is set aside when a period ends.",
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
    doc: "The file of the period that runs.",
  },
  "log.error.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names the files set aside, as for the application log.",
  },
  "log.error.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "How many files set aside are kept; 0 for all.",
  },
  "log.access.format": {
    type: "choice",
    choices: accessFormats,
    default: "combined",
    doc: "How each request is written: `combined` as web servers do, with the milliseconds spent at its end, or `json`, one object per line, which also tells the request's id, the image and the milliseconds of each stage.",
  },
  "log.access.ConsoleAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log goes to standard output.",
  },
  "log.access.FileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log goes to a file, one line per request.",
  },
  "log.access.FileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "That file.",
  },
  "log.access.RollingFileAppender.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the access log goes to a file that is set aside when a period ends.",
  },
  "log.access.RollingFileAppender.pathname": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "The file of the period that runs.",
  },
  "log.access.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Names the files set aside, as for the application log.",
  },
  "log.access.RollingFileAppender.TimeBasedRollingPolicy.max_history": {
    type: "integer",
    default: 30,
    min: 0,
    doc: "How many files set aside are kept; 0 for all.",
  },
});
