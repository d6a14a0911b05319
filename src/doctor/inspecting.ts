import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import { ServerError } from "../core/errors.ts";
import { useReader } from "../core/range-reader.ts";
import type { ListedObject, Source, SourceObject } from "../core/source.ts";
import { walkSource } from "../sources/walking.ts";
import type { Examiner } from "./examiner.ts";
import type { ExaminingOptions } from "./examining.ts";
import type { Examined, ObjectFacts, Problem } from "./facts.ts";
import type { EntryPlace, Journal, JournalEntry } from "./journal.ts";
import { Twins } from "./twins.ts";

/** The number of objects examined so far. */
export interface InspectionProgress {
  readonly done: number;
  readonly all: number;
  /** Decoded pixels of images examined in this run. */
  readonly pixels: number;
  /** The latest result; absent if it came from the journal. */
  readonly latest?: ObjectFacts;
}

/** The dependencies of an inspection. */
export interface InspectionParts {
  readonly source: Source;
  readonly journal: Journal;
  /** One for each object that is examined at the same time. */
  readonly examiners: readonly Examiner[];
  readonly options: ExaminingOptions;
  readonly onProgress: (progress: InspectionProgress) => void;
}

/** The result of an inspection; the facts are in the journal. */
export interface Inspection {
  /** In the order of the source. */
  readonly places: readonly EntryPlace[];
  readonly twins: Twins;
  /** Number of objects that were examined in this run; the others were known. */
  readonly examined: number;
}

/** Number of successive failures of the storage after which an inspection stops. */
const maxStorageFailures = 20;

/**
 * Examines all objects of a source whose current version is not in the journal. Throws
 * `unimplemented` if the source cannot be listed, `upstream` if it keeps failing, and the signal's
 * reason.
 */
export const inspectAll = async (
  { source, journal, examiners, options, onProgress }: InspectionParts,
  signal: AbortSignal,
): Promise<Inspection> => {
  const { all, twins } = await countAll(source, signal);
  const places: EntryPlace[] = [];
  let [done, examined, pixels, failures] = [0, 0, 0, 0];
  const skipped: ObjectFacts[] = [];
  const walk = walkSource(source, {
    ...{ folder: "", signal },
    skips: (folder, error) => {
      skipped.push(failedFacts({ identifier: `${folder}/` }, problemOf(error)));
      return folder !== "";
    },
  });
  let turn: Promise<unknown> = Promise.resolve();
  // The examiners share a generator, so each object goes to the first that is free.
  const next = (): Promise<IteratorResult<ListedObject>> => {
    const asked = turn.then(() => walk.next());
    turn = asked.catch(() => undefined);
    return asked;
  };

  const record = async (at: number, facts: ObjectFacts): Promise<void> => {
    places[at] = await journal.append({ ...facts, quick: options.quick });
    examined++;
    const { size } = facts.image ?? {};
    if (size && facts.decoded !== "nothing") pixels += size.width * size.height;
    failures = facts.problem?.kind === "storage" ? failures + 1 : 0;
    if (failures >= maxStorageFailures)
      throw new ServerError("upstream", facts.problem?.reason ?? "The storage keeps failing.");
  };

  let taken = 0;
  const work = async (examiner: Examiner): Promise<void> => {
    for (let one = await next(); !one.done; one = await next()) {
      const at = taken++;
      const listed = one.value;
      const found = await findObject(source, listed, signal);
      const place =
        "object" in found ? await knownPlace(journal, listed, found.object, options) : undefined;
      if (place !== undefined) {
        places[at] = place;
        onProgress({ done: ++done, all, pixels });
        continue;
      }
      const facts =
        "object" in found
          ? await examineObject(listed, found.object, { examiner, options, signal })
          : failedFacts(listed, found.problem);
      await record(at, facts);
      onProgress({ done: ++done, all: Math.max(all, done), pixels, latest: facts });
    }
  };

  const workers = examiners.map((examiner) =>
    work(examiner).catch(async (error: unknown) => {
      // So that the others stop.
      await walk.return(undefined);
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  signal.throwIfAborted();
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  for (const facts of skipped) await record(taken++, facts);
  return { places: places.filter((place) => place !== undefined), twins, examined };
};

const countAll = async (
  source: Source,
  signal: AbortSignal,
): Promise<{ readonly all: number; readonly twins: Twins }> => {
  const twins = new Twins();
  let all = 0;
  const skips = (folder: string): boolean => folder !== "";
  for await (const { identifier } of walkSource(source, { folder: "", signal, skips })) {
    twins.add(identifier);
    all++;
  }
  return { all, twins };
};

type FoundObject = { readonly object: SourceObject } | { readonly problem: Problem };

const findObject = async (
  source: Source,
  { identifier }: ListedObject,
  signal: AbortSignal,
): Promise<FoundObject> => {
  try {
    const context = { requestId: "doctor", identifier, signal };
    return { object: await source.find(identifier, context) };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: problemOf(error) };
  }
};

/** The place of a journal entry that makes examining this version of the object unnecessary. */
const knownPlace = async (
  journal: Journal,
  { identifier }: ListedObject,
  { version }: SourceObject,
  { quick }: ExaminingOptions,
): Promise<EntryPlace | undefined> => {
  const place = journal.placeOf(identifier);
  if (place === undefined) return undefined;
  const entry = await journal.read(place);
  return isCurrent(entry, { identifier, version, quick }) ? place : undefined;
};

/** Whether an entry is still valid, so that the object need not be examined again. */
export const isCurrent = (
  entry: JournalEntry,
  wanted: Pick<JournalEntry, "identifier" | "version" | "quick">,
): boolean =>
  entry.identifier === wanted.identifier &&
  entry.version === wanted.version &&
  (wanted.quick || !entry.quick) &&
  // Other problems depend on settings, limits, permissions and servers.
  (entry.problem === undefined || entry.problem.kind === "unreadable");

const examineObject = async (
  { identifier, lastModified: listedDate }: ListedObject,
  object: SourceObject,
  {
    examiner,
    options,
    signal,
  }: {
    readonly examiner: Examiner;
    readonly options: ExaminingOptions;
    readonly signal: AbortSignal;
  },
): Promise<ObjectFacts> => {
  const modified = object.lastModified ?? listedDate;
  const known = {
    ...{ identifier, version: object.version, bytes: object.size },
    ...(modified ? { modified: modified.toISOString() } : {}),
  };
  try {
    const reader = await object.open(signal);
    const examined = await useReader(reader, (opened) => examiner.examine(opened, options, signal));
    return { ...known, ...bounded(examined) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...known, decoded: "nothing", problem: problemOf(error) };
  }
};

/** Maximum length of a reason: messages may quote the file. */
const maxReason = 500;

const bounded = ({ problem, ...examined }: Examined): Examined => ({
  ...examined,
  ...(problem ? { problem: { ...problem, reason: problem.reason.slice(0, maxReason) } } : {}),
});

const failedFacts = (
  { identifier, size = 0 }: Pick<ListedObject, "identifier" | "size">,
  problem: Problem,
): ObjectFacts => ({ identifier, bytes: size, decoded: "nothing", problem });

/** Why an object could not be read, for operators. */
const problemOf = (error: unknown): Problem => {
  const kind = error instanceof ServerError && error.failure === "denied" ? "denied" : "storage";
  const reason =
    error instanceof ServerError && !isOfSource(error) ? error.message : sourceFailureText(error);
  return { kind, reason: reason.slice(0, maxReason) };
};
