import { processorFormats } from "./cantaloupe-old.ts";
import type { ExplainedKey } from "./explanation.ts";

interface Family {
  readonly reason: "later" | "meaningless";
  readonly explanation: string;
  /** Prefix of every name. */
  readonly under?: string;
  /** Separated by spaces. */
  readonly names: string;
}

const spread = ({ under = "", names, ...explanation }: Family): readonly ExplainedKey[] =>
  names.split(" ").map((name) => [under + name, explanation]);

const chunking =
  "chunking.enabled chunking.chunk_size chunking.cache.enabled chunking.cache.max_size";
const syslog = "host port facility";

const ownBlocks =
  "Parts are read as needed, and cached in memory within source.cache.blocks.target_size.";
const ownChoice = "Vitrine chooses how to read an image by its content.";
const noSyslog = "Logs do not go to syslog yet.";

const families: readonly Family[] = [
  {
    reason: "meaningless",
    explanation:
      "One event loop handles all requests; processor.max_running limits how many images are rendered concurrently.",
    names: "http.min_threads http.max_threads",
  },
  {
    reason: "meaningless",
    explanation: "Pictures are processed in memory.",
    names: "temp_pathname",
  },
  {
    reason: "meaningless",
    explanation: "One request for the first part of a file returns all that HEAD would.",
    names: "HttpSource.BasicLookupStrategy.send_head_requests",
  },
  {
    reason: "meaningless",
    explanation: ownBlocks,
    under: "HttpSource.chunking.",
    names: "chunk_size cache.enabled cache.max_size",
  },
  ...["S3Source.", "AzureStorageSource."].map(
    (under): Family => ({
      reason: "meaningless",
      explanation: ownBlocks,
      under,
      names: chunking,
    }),
  ),

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
    explanation: "Only the needed parts of a PDF document are read; there is nothing to store.",
    names: "processor.pdf.scratch_file_enabled",
  },
  {
    reason: "meaningless",
    explanation: "No program from elsewhere is called for JPEG 2000.",
    names: "OpenJpegProcessor.path_to_binaries GrokProcessor.path_to_binaries",
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

/**
 * Keys of Cantaloupe's sample for features that are not available yet or that Vitrine does not
 * need.
 */
export const unusedKeys: readonly ExplainedKey[] = families.flatMap(spread);
