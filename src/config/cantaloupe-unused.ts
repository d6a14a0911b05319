import { processorFormats } from "./cantaloupe-old.ts";
import type { ExplainedKey } from "./explanation.ts";

interface Family {
  readonly reason: "later" | "meaningless";
  readonly explanation: string;
  /** Put before every name. */
  readonly under?: string;
  /** Separated by spaces. */
  readonly names: string;
}

const spread = ({ under = "", names, ...explanation }: Family): readonly ExplainedKey[] =>
  names.split(" ").map((name) => [under + name, explanation]);

const chunking =
  "chunking.enabled chunking.chunk_size chunking.cache.enabled chunking.cache.max_size";
const syslog = "host port facility";

const noDelegate = "There are no delegate scripts yet.";
const onlyFiles = "Pictures come from the file system only, so far.";
const ownChoice = "Vitrine chooses how to read a picture by its content.";
const noOverlay = "There are no overlays yet.";
const noSyslog = "Logs do not go to syslog yet.";

const families: readonly Family[] = [
  {
    reason: "meaningless",
    explanation:
      "One event loop takes all requests; processor.max_running bounds how many pictures are drawn at a time.",
    names: "http.min_threads http.max_threads",
  },
  {
    reason: "meaningless",
    explanation: "Pictures are processed in memory.",
    names: "temp_pathname",
  },
  {
    reason: "later",
    explanation: noDelegate,
    names: "delegate_script.enabled delegate_script.pathname source.delegate",
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "HttpSource.",
    names: `allow_insecure request_timeout proxy.http.host proxy.http.port lookup_strategy ${chunking}`,
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "HttpSource.BasicLookupStrategy.",
    names: "url_prefix url_suffix auth.basic.username auth.basic.secret send_head_requests",
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "S3Source.",
    names: `endpoint region access_key_id secret_key lookup_strategy ${chunking}`,
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "S3Source.BasicLookupStrategy.",
    names: "bucket.name path_prefix path_suffix",
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "AzureStorageSource.",
    names: `account_name account_key container_name lookup_strategy ${chunking}`,
  },
  {
    reason: "later",
    explanation: onlyFiles,
    under: "JdbcSource.",
    names: "url user password connection_timeout",
  },

  { reason: "meaningless", explanation: ownChoice, names: "processor.selection_strategy" },
  {
    reason: "meaningless",
    explanation: ownChoice,
    under: "processor.ManualSelectionStrategy.",
    names: processorFormats.join(" "),
  },
  {
    reason: "meaningless",
    explanation: "Image I/O plug-ins exist in Java only.",
    under: "processor.imageio.",
    names:
      "bmp.reader gif.reader gif.writer jpg.reader jpg.writer png.reader png.writer tif.reader tif.writer xpm.reader",
  },
  {
    reason: "meaningless",
    explanation: "Only the parts of a file that are needed are read, without a copy.",
    names: "processor.stream_retrieval_strategy processor.fallback_retrieval_strategy",
  },
  {
    reason: "meaningless",
    explanation: "Of a PDF document only what is needed is read; there is nothing to put aside.",
    names: "processor.pdf.scratch_file_enabled",
  },
  {
    reason: "meaningless",
    explanation: "No program from elsewhere is called for JPEG 2000.",
    names: "OpenJpegProcessor.path_to_binaries GrokProcessor.path_to_binaries",
  },

  {
    reason: "later",
    explanation: noOverlay,
    under: "overlays.",
    names:
      "strategy BasicStrategy.enabled BasicStrategy.type BasicStrategy.image BasicStrategy.position BasicStrategy.inset BasicStrategy.output_width_threshold BasicStrategy.output_height_threshold BasicStrategy.string",
  },
  {
    reason: "later",
    explanation: noOverlay,
    under: "overlays.BasicStrategy.string.",
    names:
      "font font.size font.min_size font.weight glyph_spacing color stroke.color stroke.width background.color",
  },

  {
    reason: "later",
    explanation: noSyslog,
    names: "log.application.SyslogAppender.enabled log.access.SyslogAppender.enabled",
  },
  {
    reason: "later",
    explanation: noSyslog,
    under: "log.application.SyslogAppender.",
    names: syslog,
  },
  { reason: "later", explanation: noSyslog, under: "log.access.SyslogAppender.", names: syslog },
  ...["application", "error", "access"].map(
    (log): Family => ({
      reason: "meaningless",
      explanation: "Log files roll by time; there is no other policy.",
      names: `log.${log}.RollingFileAppender.policy`,
    }),
  ),
  {
    reason: "meaningless",
    explanation: "Warnings and errors on the console are written as all other entries are.",
    names: "log.application.stderr.ConsoleAppender.logstash.enabled",
  },
];

/** Keys of Cantaloupe's sample for parts that are not here yet or that Vitrine does not need. */
export const unusedKeys: readonly ExplainedKey[] = families.flatMap(spread);
