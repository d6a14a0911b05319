import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { found } from "../conversion/atomic-file.ts";
import { type ConvertJob, summaryOf } from "../conversion/convert-file.ts";
import { convertAll } from "../conversion/convert-pool.ts";
import type { ConversionOutcome } from "../conversion/converter.ts";
import type { FormatName } from "../core/formats.ts";
import { availability } from "../formats/availability.ts";
import { type ExitCode, type Terminal, UsageError, writeError, writeWarning } from "./command.ts";
import { type FolderPlan, type Planned, planFolder, removeStaleFiles } from "./convert-plan.ts";
import { type Progress, progressOn, silence, timeText } from "./progress.ts";
import { countOf } from "./words.ts";

/** The conversion of a folder. */
export interface FolderJob extends Omit<ConvertJob, "from" | "to"> {
  /** Folders. */
  readonly from: string;
  readonly to: string;
  /** File extension of the outputs, without its dot. */
  readonly extension: string;
  /** Number of concurrent processes; absent: as many as the machine allows. */
  readonly workers: number | undefined;
  readonly quiet: boolean;
}

/**
 * Converts the images of a folder that are not converted yet, and reports failures. Creates the
 * folders it writes to.
 */
export const convertFolder = async (
  job: FolderJob,
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { from, to, quiet } = job;
  const { signal } = terminal;
  await checkFolders(from, to);
  await mkdir(to, { recursive: true });
  try {
    await removeStaleFiles(to, signal);
    const formats = await readableFormats(config);
    const plan = await planFolder(from, to, { ...job, formats, signal });
    if (!quiet) announce(plan, job, terminal);
    return await convertPlanned(plan, job, { config, terminal });
  } catch (error) {
    if (!signal.aborted) throw error;
    terminal.err("Stopped before anything was converted.\n");
    return 1;
  }
};

const checkFolders = async (from: string, to: string): Promise<void> => {
  if (resolve(from) === resolve(to))
    throw new UsageError(`convert: expected two folders, but '${from}' and '${to}' are the same`);
  const target = await found(to);
  if (target !== undefined && !target.isDirectory())
    throw new UsageError(`convert: '${from}' is a folder, so OUT must be one; '${to}' is a file`);
};

const readableFormats = async (config: Config): Promise<ReadonlySet<FormatName>> => {
  const found = await availability(config);
  return new Set(found.filter(({ read }) => read.available).map(({ format }) => format));
};

const announce = (
  { planned, done, outdated, others }: FolderPlan,
  { from, to }: FolderJob,
  terminal: Terminal,
): void => {
  const rest = [
    ...(done > 0 ? [`${countOf(done, "is", "are")} in ${to} already`] : []),
    ...(others > 0 ? [`${countOf(others, "other file is", "other files are")} skipped`] : []),
  ];
  const images = countOf(planned.length, "image", "images");
  terminal.err(
    `Converting ${images} of ${from}${rest.length > 0 ? `; ${rest.join(", ")}` : ""}.\n`,
  );
  const [first, ...more] = outdated;
  if (first !== undefined)
    writeWarning(
      terminal,
      `${first}${more.length > 0 ? ` and ${more.length} more` : ""} changed after being converted; --force converts everything again`,
    );
};

const convertPlanned = async (
  { planned }: FolderPlan,
  job: FolderJob,
  { config, terminal }: { readonly config: Config; readonly terminal: Terminal },
): Promise<ExitCode> => {
  const { signal } = terminal;
  const began = performance.now();
  const progress = job.quiet ? silence : progressOn(terminal, { name: job.to });
  const standing = new FolderStanding(planned, progress);
  const failed: string[] = [];
  const left = [...planned].reverse();
  for (const folder of new Set(planned.map(({ to }) => dirname(to))))
    await mkdir(folder, { recursive: true });
  await convertAll(
    { workers: Math.min(job.workers ?? usualWorkers(), planned.length), values: config.current },
    {
      next: () => {
        const next = left.pop();
        return next && { ...job, ...next };
      },
      onProgress: (one, share, pixels) => standing.at(one, share, pixels),
      onEnd: (one, outcome) => {
        if ("failed" in outcome) failed.push(outcome.failed);
        progress.note(lineOf(one, outcome));
        standing.end(one);
      },
    },
    signal,
  );
  progress.end();
  const converted = standing.ended - failed.length;
  if (signal.aborted) {
    terminal.err(
      `Stopped; ${converted} of ${planned.length} images are converted. Run the same command again to continue.\n`,
    );
    return 1;
  }
  if (!job.quiet)
    terminal.err(
      `Converted ${countOf(converted, "image", "images")} in ${timeText(performance.now() - began)}.\n`,
    );
  if (failed.length > 0) tellFailed(failed, terminal);
  return failed.length > 0 ? 1 : 0;
};

const lineOf = (job: ConvertJob, outcome: ConversionOutcome): string =>
  "failed" in outcome ? outcome.failed : `${job.to}: ${summaryOf(outcome.converted, job)}`;

/** Maximum number of failures listed at the end. */
const maxNamed = 50;

const tellFailed = (failed: readonly string[], terminal: Terminal): void => {
  writeError(terminal, `${failed.length} could not be converted:`);
  for (const line of failed.slice(0, maxNamed)) terminal.err(`  ${line}\n`);
  if (failed.length > maxNamed) terminal.err(`  and ${failed.length - maxNamed} more\n`);
};

/** The progress of a folder: by the sizes of its images' files, which are known in advance. */
class FolderStanding {
  readonly #progress: Progress;
  readonly #images: number;
  readonly #bytes: number;
  /** Of finished files. */
  #done = { bytes: 0, pixels: 0 };
  readonly #underWay = new Map<string, { share: number; bytes: number; pixels: number }>();
  ended = 0;

  constructor(planned: readonly Planned[], progress: Progress) {
    this.#progress = progress;
    this.#images = planned.length;
    this.#bytes = Math.max(
      1,
      planned.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }

  at({ to, bytes }: Planned, share: number, pixels: number): void {
    this.#underWay.set(to, { share, bytes, pixels });
    this.#tell();
  }

  end({ to, bytes }: Planned): void {
    const { pixels = 0 } = this.#underWay.get(to) ?? {};
    this.#underWay.delete(to);
    this.#done = { bytes: this.#done.bytes + bytes, pixels: this.#done.pixels + pixels };
    this.ended++;
    this.#tell();
  }

  #tell(): void {
    let { bytes, pixels } = this.#done;
    for (const one of this.#underWay.values()) {
      bytes += one.share * one.bytes;
      pixels += one.share * one.pixels;
    }
    const count = `${this.ended}/${this.#images} files`;
    this.#progress.at({ share: bytes / this.#bytes, pixels, count });
  }
}

/** As many as there are processors, and memory for. */
const usualWorkers = (): number => {
  const { processors, memory } = machine();
  return Math.max(1, Math.min(processors, Math.floor(memory / memoryEach)));
};

/** Memory of a process for large images in bytes. */
const memoryEach = 1_073_741_824;
