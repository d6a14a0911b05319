import type { Figures } from "./figures.ts";
import type { Member } from "./member.ts";
import type { Sample } from "./sample.ts";
import { Series } from "./series.ts";
import { slowestOf } from "./slow-sources.ts";

const fineMs = 1_000;
const coarseMs = 5_000;
/** Milliseconds within which a viewer of the metrics is expected to request them again. */
const watchedMs = 15_000;

/**
 * Collects the metrics of all processes periodically: each second while somebody views them, else
 * every five.
 */
export class Ticking {
  readonly #members: () => readonly Member[];
  readonly #fine = new Series({ intervalMs: fineMs, intervals: 60 });
  readonly #coarse = new Series({ intervalMs: coarseMs, intervals: 120 });
  readonly #timer: NodeJS.Timeout;
  /** Maximum event loop delay of each process since the last coarse interval. */
  readonly #late = new Map<string, Sample["eventLoop"]>();
  #samples: readonly Sample[] = [];
  #watchedUntil = Number.NEGATIVE_INFINITY;
  #fineAt = Number.NEGATIVE_INFINITY;
  #coarseAt = Number.NEGATIVE_INFINITY;
  #gathering: Promise<void> | undefined;

  constructor(members: () => readonly Member[]) {
    this.#members = members;
    this.#timer = setInterval(() => void this.#tick(), fineMs);
    this.#timer.unref();
  }

  /** The metrics up to now. */
  async figures(): Promise<Figures> {
    const isNew = performance.now() > this.#watchedUntil;
    this.#watchedUntil = performance.now() + watchedMs;
    if (isNew) await this.#tick();
    return {
      intervals: this.#coarse.intervals,
      recent: this.#fine.intervals,
      slowest: slowestOf(
        this.#samples.flatMap(({ slowest }) => slowest),
        Date.now(),
      ),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** One at a time: a slow process must not cause a queue. */
  async #tick(): Promise<void> {
    const now = performance.now();
    const isWatched = now < this.#watchedUntil;
    // Timers fire slightly early or late.
    const isCoarse = now - this.#coarseAt > coarseMs - fineMs / 2;
    if (!isWatched && !isCoarse) return;
    this.#gathering ??= this.#gather({ now, isWatched, isCoarse }).finally(() => {
      this.#gathering = undefined;
    });
    await this.#gathering;
  }

  async #gather({
    now,
    isWatched,
    isCoarse,
  }: {
    readonly now: number;
    readonly isWatched: boolean;
    readonly isCoarse: boolean;
  }): Promise<void> {
    const outcomes = await Promise.allSettled(this.#members().map((member) => member.sample()));
    const samples = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    const at = Date.now();
    this.#samples = samples;
    if (isWatched && now - this.#fineAt > fineMs / 2) {
      this.#fineAt = now;
      this.#fine.add(samples, at);
    }
    for (const { process, eventLoop } of samples) {
      const before = this.#late.get(process);
      this.#late.set(process, {
        p99: Math.max(eventLoop.p99, before?.p99 ?? 0),
        max: Math.max(eventLoop.max, before?.max ?? 0),
      });
    }
    if (!isCoarse) return;
    this.#coarseAt = now;
    this.#coarse.add(
      samples.map((sample) => ({
        ...sample,
        eventLoop: this.#late.get(sample.process) ?? sample.eventLoop,
      })),
      at,
    );
    this.#late.clear();
  }
}
