import { setMaxListeners } from "node:events";
import type { ReportedFailure } from "./failures.ts";
import type { Identifiers } from "./identifiers.ts";
import type { Journal } from "./journal.ts";
import type { WarmTally } from "./tally.ts";
import type { WarmTarget } from "./target.ts";

/** What a run over all images needs. */
export interface RunParts {
  readonly identifiers: Identifiers;
  /** Warms one image; false where some of it failed. */
  readonly warm: (identifier: string, signal: AbortSignal) => Promise<boolean>;
  readonly settle: WarmTarget["settle"];
  /** Describes the work for the journal. */
  readonly work: string;
  readonly journal: Journal | undefined;
  readonly tally: WarmTally;
  /** Maximum number of images that are warmed at the same time. */
  readonly images: number;
  readonly onProgress: () => void;
  readonly onFailure: (failure: ReportedFailure) => Promise<void>;
}

/**
 * Maximum number of finished images that are not recorded yet, and of milliseconds until they are.
 */
const maxFinished = 100;
const maxFinishedMs = 2_000;
/** Time limit of writing what is finished when a run ends, in milliseconds. */
const endingMs = 10_000;

/**
 * Warms all images and records those that are stored. Throws errors that end the run:
 * `Unreachable`, `WarmStopped`, errors of the list or the source, and the signal's reason.
 */
export const runAll = async (parts: RunParts, signal: AbortSignal): Promise<void> => {
  const { identifiers, journal, work, tally, onProgress } = parts;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  // Every concurrent request listens.
  setMaxListeners(0, either);
  const recorder = new Recorder(parts);
  void identifiers.count(either).then(
    (total) => {
      tally.total = total;
      onProgress();
    },
    // Listing them for the run fails in the same way, and that is reported.
    () => undefined,
  );
  const all = identifiers.each(either)[Symbol.asyncIterator]();
  const lane = async (): Promise<void> => {
    for (let next = await all.next(); !next.done; next = await all.next()) {
      either.throwIfAborted();
      const identifier = next.value;
      if (journal?.has(identifier, work)) {
        tally.skipped++;
        continue;
      }
      const isDone = await parts.warm(identifier, either);
      tally.end(identifier, !isDone);
      onProgress();
      if (isDone) await recorder.add(identifier, either);
    }
  };
  const lanes = Array.from({ length: parts.images }, async () => {
    try {
      await lane();
    } catch (error) {
      // The others stop as well; the first reason is the one that is reported.
      ended.abort(error);
      throw error;
    }
  });
  const outcomes = await Promise.allSettled(lanes);
  await recorder.flush(AbortSignal.timeout(endingMs));
  ended.abort();
  if (signal.aborted) throw signal.reason;
  if (outcomes.some(({ status }) => status === "rejected")) throw either.reason;
};

/** Records finished images once the caches have stored them. */
class Recorder {
  readonly #parts: RunParts;
  #finished: string[] = [];
  #since = performance.now();
  #flushing: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async add(identifier: string, signal: AbortSignal): Promise<void> {
    this.#finished.push(identifier);
    const isDue =
      this.#finished.length >= maxFinished || performance.now() - this.#since > maxFinishedMs;
    if (isDue && this.#flushing === undefined) await this.flush(signal);
  }

  /** Waits for the caches and records the images finished so far. */
  async flush(signal: AbortSignal): Promise<void> {
    await this.#flushing;
    const flushing = this.#flush(signal).finally(() => {
      this.#flushing = undefined;
    });
    this.#flushing = flushing;
    await flushing;
  }

  async #flush(signal: AbortSignal): Promise<void> {
    const finished = this.#finished;
    this.#finished = [];
    try {
      if (await this.#parts.settle(signal)) await this.#record(finished);
      else await this.#lose(finished);
    } catch (error) {
      // They may be stored later, when the run ends.
      this.#finished = [...finished, ...this.#finished];
      throw error;
    }
    this.#since = performance.now();
  }

  async #record(finished: readonly string[]): Promise<void> {
    const { journal, work } = this.#parts;
    if (finished.length > 0) await journal?.add(finished, work);
  }

  async #lose(finished: readonly string[]): Promise<void> {
    const { onFailure, tally } = this.#parts;
    tally.failed += finished.length;
    for (const identifier of finished)
      await onFailure({
        identifier,
        reason: "the cache failed, so some derivatives may not be stored; run the command again",
      });
  }
}
