import { machine } from "../config/machine.ts";
import { masked } from "../config/masked.ts";
import type { Config } from "../config/store.ts";
import { printable } from "../core/printable.ts";
import { type ExitCode, type Terminal, UsageError, writeError } from "./command.ts";
import { progressOn, silence, timeText } from "./progress.ts";
import { openIdentifiers } from "./warm-images.ts";
import { thumbnailRequest, type WarmJob } from "./warm-options.ts";
import { nameOfText, openTarget } from "./warm-target.ts";
import { DryRun } from "./warming/dry-run.ts";
import { maxNamed, type ReportedFailure, WarmFailures } from "./warming/failures.ts";
import { openJournal } from "./warming/journal.ts";
import { patient } from "./warming/patience.ts";
import { runAll } from "./warming/run.ts";
import { WarmTally } from "./warming/tally.ts";
import type { WarmTarget } from "./warming/target.ts";
import { Warmer } from "./warming/warmer.ts";
import { type WarmWork, workText } from "./warming/work.ts";
import { countOf } from "./words.ts";

/** Maximum number of images warmed at the same time: few, so that their files stay open. */
const maxImages = 4;
const usualConcurrency = 4;
const usualLevels = 3;

/** Warms images; 1 if some failed or the run was stopped. */
export const warmAll = async (
  job: WarmJob,
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { signal } = terminal;
  const concurrency =
    job.concurrency ?? (job.server ? usualConcurrency : Math.max(1, machine().processors));
  const began = performance.now();
  const progress = job.quiet ? silence : progressOn(terminal, { name: "Warming" });
  const tally = new WarmTally();
  const closers: (() => Promise<void>)[] = [];
  const onProgress = (): void => progress.at(tally.state(performance.now() - began));
  try {
    let hasNoPyramids = false;
    const target = await openTarget(job, config, {
      concurrency,
      note: progress.note,
      onNoPyramids(message) {
        hasNoPyramids = true;
        progress.note(message);
      },
    });
    closers.unshift(() => target.close());
    const work = await workOf(job, target, signal);
    const { identifiers, close } = await openIdentifiers(job, config, terminal);
    closers.unshift(close);
    const failures = await WarmFailures.open(job.failures);
    closers.unshift(() => failures.close());
    const journal = job.resume && !job.dryRun ? await openJournal(job.resume, signal) : undefined;
    if (journal) closers.unshift(() => journal.close());
    const onFailure = (failure: ReportedFailure): Promise<void> => failures.add(failure);
    const parts = {
      work,
      get: patient(target),
      makePyramids: target.makePyramids,
      makesNoPyramids: () => hasNoPyramids,
      nameOf: nameOfText(config),
      concurrency,
      tally,
      onProgress,
      onFailure,
    };
    const warmer = job.dryRun ? new DryRun(parts) : new Warmer(parts);
    const run = {
      identifiers,
      warm: (identifier: string, end: AbortSignal) => warmer.warm(identifier, end),
      settle: (end: AbortSignal) => target.settle(end),
      work: workText(work),
      journal,
      tally,
      images: Math.min(maxImages, concurrency),
      onProgress,
      onFailure,
    };
    const stopped = await runAll(run, signal).then(
      () => undefined,
      (error: unknown) => (signal.aborted ? "interrupted" : reasonOf(error)),
    );
    progress.end();
    const ms = performance.now() - began;
    return report({ job, tally, failures, stopped, ms }, terminal);
  } finally {
    progress.end();
    for (const close of closers) await close();
  }
};

const reasonOf = (error: unknown): string =>
  masked(error instanceof Error ? error.message : String(error));

/** What to warm; asks the target for its versions where none are given. */
const workOf = async (job: WarmJob, target: WarmTarget, signal: AbortSignal): Promise<WarmWork> => {
  const { what = ["info", "thumbnails"], thumbnail = ["!200,200"], levels, format, api } = job;
  const versions = api ?? (await target.versions(signal));
  if (versions.length === 0)
    throw new UsageError(
      `warm: ${target.name} has all versions of the Image API switched off; set endpoint.iiif.3.enabled, .2.enabled or .1.enabled to true`,
    );
  const kinds = new Set(what);
  if (levels !== undefined && !kinds.has("levels"))
    throw new UsageError("warm: --levels needs --what levels");
  return {
    kinds,
    infoVersions: versions,
    // Derivatives are the same for all versions.
    imageVersions: api ?? versions.slice(0, 1),
    thumbnails: thumbnail.map(thumbnailRequest),
    levels: levels ?? usualLevels,
    format,
  };
};

interface Outcome {
  readonly job: WarmJob;
  readonly tally: WarmTally;
  readonly failures: WarmFailures;
  /** Why the run ended early. */
  readonly stopped: string | undefined;
  readonly ms: number;
}

const report = ({ job, tally, failures, stopped, ms }: Outcome, terminal: Terminal): ExitCode => {
  const { ended, failed, skipped, requests, bytes } = tally;
  const images = countOf(ended - failed, "image", "images");
  const amount = `${countOf(requests, "request", "requests")}, ${job.dryRun ? "about " : ""}${(bytes / 1e6).toFixed(1)} MB`;
  const rest = skipped > 0 ? `; ${countOf(skipped, "was", "were")} finished before` : "";
  terminal.out(
    job.dryRun
      ? `${images}: ${amount}.\n`
      : `Warmed ${images} in ${timeText(ms)}: ${amount}${rest}.\n`,
  );
  if (failures.count > 0) writeFailures(failures, failed, job, terminal);
  if (stopped === undefined) return failures.count > 0 ? 1 : 0;
  const again = job.resume
    ? "Run the same command again to continue."
    : "Use --resume FILE to make runs continue after an interruption.";
  writeError(terminal, `stopped: ${stopped}. ${again}`);
  return 1;
};

const writeFailures = (
  { count, first }: WarmFailures,
  images: number,
  { failures: file }: WarmJob,
  terminal: Terminal,
): void => {
  writeError(
    terminal,
    `${countOf(images, "image", "images")} failed, with ${countOf(count, "failure", "failures")}:`,
  );
  for (const { identifier, path, reason } of first)
    terminal.err(`  ${printable(identifier)}: ${reason}${path ? ` (${path})` : ""}\n`);
  if (count > maxNamed)
    terminal.err(
      `  and ${count - maxNamed} more${file ? `, in ${file}` : "; --failures FILE writes all of them"}\n`,
    );
};
