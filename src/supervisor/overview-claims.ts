import { LRUCache } from "lru-cache";
import type { LentOverview } from "../service/overview-exchange.ts";

/**
 * Asks a worker, by its number, for an overview with more bytes than `after`; undefined where it has
 * none or does not run.
 */
export type AskWorker = (
  worker: number,
  name: string,
  after: number,
) => Promise<LentOverview | undefined>;

/** Claims remembered, and milliseconds since the last use: longer than overviews are kept. */
const maxClaims = 1_000;
const rememberedMs = 60_000;

/** Questions to workers at a time: well below what connections to them carry. */
const maxAsking = 64;

/** Which worker makes an overview, so that the others get it from there. */
export class OverviewClaims {
  readonly #makers = new LRUCache<string, number>({ max: maxClaims, ttl: rememberedMs });
  readonly #ask: AskWorker;
  readonly #failed: (worker: number, error: unknown) => void;
  #asking = 0;

  /** `failed` is told of workers that could not answer. */
  constructor(ask: AskWorker, failed: (worker: number, error: unknown) => void) {
    this.#ask = ask;
    this.#failed = failed;
  }

  /**
   * The overview from the worker that claimed it before, once it has more bytes than `after`;
   * undefined where the worker that asks is to make it, also while too many others wait. Never
   * rejects.
   */
  async claim(worker: number, name: string, after: number): Promise<LentOverview | undefined> {
    const maker = this.#makers.get(name);
    if (maker !== undefined && maker !== worker) {
      if (this.#asking >= maxAsking) return undefined;
      const lent = await this.#lentBy(maker, name, after);
      if (lent !== undefined) return lent;
      // Another worker that asked at the same time may have claimed it meanwhile.
      const next = this.#makers.get(name);
      if (next !== maker && next !== worker) return this.claim(worker, name, after);
    }
    this.#makers.set(name, worker);
    return undefined;
  }

  /**
   * The overview from the worker that claimed it, as `claim`; undefined where none did, or too many
   * others wait. Never rejects.
   */
  async look(worker: number, name: string, after: number): Promise<LentOverview | undefined> {
    const maker = this.#makers.get(name);
    if (maker === undefined || maker === worker || this.#asking >= maxAsking) return undefined;
    return this.#lentBy(maker, name, after);
  }

  async #lentBy(maker: number, name: string, after: number): Promise<LentOverview | undefined> {
    this.#asking++;
    try {
      return await this.#ask(maker, name, after);
    } catch (error) {
      this.#failed(maker, error);
      return undefined;
    } finally {
      this.#asking--;
    }
  }
}
