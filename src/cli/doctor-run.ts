import { createHash } from "node:crypto";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { environment } from "../config/environment.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { sourceFailureText } from "../conversion/failure-report.ts";
import { ServerError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { adviceFor } from "../doctor/advice.ts";
import { Examiner } from "../doctor/examiner.ts";
import { type InspectionProgress, inspectAll } from "../doctor/inspecting.ts";
import { Journal } from "../doctor/journal.ts";
import { jsonReport, type Report, type ReportedObject } from "../doctor/json-report.ts";
import { judge } from "../doctor/judging.ts";
import { Tally } from "../doctor/summary.ts";
import { pyramidKeys } from "../pyramids/keys.ts";
import { type ExitCode, type Terminal, UsageError, writeError } from "./command.ts";
import { type DoctorCollection, openCollection } from "./doctor-collection.ts";
import { doctorText } from "./doctor-report.ts";
import { progressOn, silence } from "./progress.ts";
import { countOf } from "./words.ts";

/** The options of the command. */
export interface DoctorOptions {
  /** Absent for the configured source. */
  readonly folder?: string | undefined;
  readonly config?: string | undefined;
  readonly quick?: true | undefined;
  readonly json?: true | undefined;
  readonly html?: string | undefined;
  readonly journal?: string | undefined;
  readonly fresh?: true | undefined;
  readonly workers?: number | undefined;
  readonly timeout?: number | undefined;
  readonly memory?: number | undefined;
  readonly quiet?: true | undefined;
}

const usualTimeout = 120;
const usualMemory = 1_024;

/**
 * Share of the time limit after which no further block is decoded; the rest is for the last one.
 */
const decodingShare = 0.5;

/** Examines a collection and reports on it; 1 if images cannot be read or the run was stopped. */
export const runDoctor = async (
  options: DoctorOptions,
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> => {
  const collection = await openCollection(options, config, terminal);
  try {
    const path = options.journal ?? usualJournal(collection);
    const journal = await openJournal(path, collection, options.fresh === true);
    try {
      return await examineAndReport({ options, config, terminal, collection, journal });
    } finally {
      await journal.close();
    }
  } finally {
    await collection.close();
  }
};

const openJournal = async (
  path: string,
  { identity }: DoctorCollection,
  fresh: boolean,
): Promise<Journal> => {
  try {
    return await Journal.open(path, { collection: identity }, { fresh });
  } catch (error) {
    if (error instanceof ServerError) throw new UsageError(`doctor: ${error.message}`);
    throw new UsageError(
      `doctor: the journal ${path} cannot be written (${(error as NodeJS.ErrnoException).code}); name another file with --journal`,
    );
  }
};

interface Run {
  readonly options: DoctorOptions;
  readonly config: Config;
  readonly terminal: Terminal;
  readonly collection: DoctorCollection;
  readonly journal: Journal;
}

const examineAndReport = async (run: Run): Promise<ExitCode> => {
  const { options, config, terminal, collection, journal } = run;
  const { signal } = terminal;
  const limits = {
    timeoutMs: (options.timeout ?? usualTimeout) * 1_000,
    memory: (options.memory ?? usualMemory) * 2 ** 20,
  };
  const workers = options.workers ?? usualWorkers(limits.memory);
  const env = environment();
  const examiners = Array.from(
    { length: workers },
    () => new Examiner(env, config.current, limits),
  );
  const progress = options.quiet ? silence : progressOn(terminal, { name: collection.name });
  const quick = options.quick === true;
  const onProgress = ({ done, all, pixels, latest }: InspectionProgress): void => {
    progress.at({ share: done / Math.max(1, all), pixels, count: `${done}/${all} files` });
    if (latest?.problem?.kind === "unreadable")
      progress.note(printable(`${latest.identifier}: ${latest.problem.reason}`));
  };
  try {
    const { source } = collection;
    const decoding = { quick, decodeMs: limits.timeoutMs * decodingShare };
    const parts = { source, journal, examiners, options: decoding, onProgress };
    const inspection = await inspectAll(parts, signal);
    progress.end();
    return await report(run, inspection);
  } catch (error) {
    progress.end();
    if (signal.aborted) {
      terminal.err("Stopped. Run the same command again to continue.\n");
      return 1;
    }
    if (!(error instanceof ServerError)) throw error;
    writeError(terminal, error.failure === "upstream" ? sourceFailureText(error) : error.message);
    return error.failure === "unimplemented" ? 2 : 1;
  } finally {
    await Promise.all(examiners.map((examiner) => examiner.close()));
  }
};

const report = async (
  { options, config, terminal, collection, journal }: Run,
  { places, twins, examined }: Awaited<ReturnType<typeof inspectAll>>,
): Promise<ExitCode> => {
  const settings = config.view(pyramidKeys)();
  const pyramids = {
    isOn: settings["pyramids.enabled"],
    minPixels: settings["pyramids.min_pixels"],
    maxBytes: settings["pyramids.max_size"],
  };
  async function* objects(): AsyncGenerator<ReportedObject> {
    for (const place of places) {
      terminal.signal.throwIfAborted();
      const { quick: _, ...facts } = await journal.read(place);
      const hasTwin = twins.has(facts.identifier);
      yield { facts, findings: judge(facts, { pyramids, hasTwin }) };
    }
  }
  const tally = new Tally({ pyramids });
  for await (const { facts, findings } of objects()) tally.add(facts, findings);
  const { summary } = tally;
  const { folder } = options;
  const made: Report = {
    collection: collection.name,
    made: new Date(),
    quick: options.quick === true,
    summary,
    advice: adviceFor(summary, { pyramids, ...(folder === undefined ? {} : { folder }) }),
  };
  if (options.html !== undefined) {
    const { writeHtmlReport } = await import("../doctor/html-report.ts");
    await writeHtmlReport(options.html, made, objects);
    if (!options.quiet) terminal.err(`Wrote ${options.html}.\n`);
  }
  if (options.json) for await (const part of jsonReport(made, objects())) terminal.out(part);
  else terminal.out(doctorText(made, terminal));
  if (!options.quiet)
    terminal.err(
      `Examined ${countOf(examined, "file", "files")}; ${places.length - examined} unchanged.\n`,
    );
  const { unreadable = 0, denied = 0, storage = 0 } = summary.findings;
  return unreadable + denied + storage > 0 ? 1 : 0;
};

/** One per processor, as far as memory allows. */
const usualWorkers = (memoryEach: number): number => {
  const { processors, memory } = machine();
  return Math.max(1, Math.min(Math.floor(processors), Math.floor(memory / memoryEach)));
};

/** A file of this collection in the user's cache folder. */
const usualJournal = ({ identity }: DoctorCollection): string => {
  const name = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  const { XDG_CACHE_HOME: caches, HOME: home = homedir() } = environment();
  const folder = caches || (home ? join(home, ".cache") : tmpdir());
  return resolve(folder, "vitrine", "doctor", `${name}.jsonl`);
};
