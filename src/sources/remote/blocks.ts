import { LRUCache } from "lru-cache";
import { Limiter } from "../../core/limiter.ts";

/** Bytes of a block, aligned: whatever is read costs less than 64 KiB beyond what is wanted. */
export const blockBytes = 32_768;

/** Fetches blocks that follow each other. */
export type FetchBlocks = (
  first: number,
  count: number,
  signal: AbortSignal,
) => Promise<readonly Uint8Array[]>;

/** One request for blocks, and those who wait for it. */
interface Flight {
  readonly result: Promise<ReadonlyMap<number, Uint8Array>>;
  readonly abort: AbortController;
  listeners: number;
}

/** Blocks that one request fetches at most. */
const maxTogether = 64;
/** Requests that one reading sends at a time. */
const maxAtOnce = 8;
/** What a block takes in the cache beside its bytes. */
const besides = 256;
const maxObjects = 65_536;

/**
 * Blocks of remote objects, kept in memory within a bound. Concurrent readers of a block share one
 * request.
 */
export class Blocks {
  readonly #kept: LRUCache<string, Uint8Array> | undefined;
  readonly #flights = new Map<string, Flight>();
  /** Short names of the states of objects. */
  readonly #ids = new LRUCache<string, number>({ max: maxObjects });
  readonly #tally = { hits: 0, misses: 0 };
  readonly maxBytes: number;
  #last = 0;

  /** 0 bytes: nothing is kept. */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#kept =
      maxBytes > 0
        ? new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: (bytes) => bytes.byteLength + besides,
          })
        : undefined;
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  /** How many blocks were there when they were wanted, and how many had to be fetched. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  clear(): void {
    this.#kept?.clear();
  }

  /** A short name for a state of an object. */
  idOf(key: string, version: string): number {
    const name = `${version}\0${key}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#last++;
    this.#ids.set(name, this.#last);
    return this.#last;
  }

  /** Keeps blocks that were fetched, from the first on. */
  keep(id: number, first: number, blocks: readonly Uint8Array[]): void {
    for (const [index, block] of blocks.entries()) this.#kept?.set(`${id} ${first + index}`, block);
  }

  /** The blocks of these numbers, from memory as far as they are there. The numbers ascend. */
  async read(
    id: number,
    numbers: readonly number[],
    { fetch, signal }: { readonly fetch: FetchBlocks; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>();
    const joined = new Set<Flight>();
    const missing: number[] = [];
    for (const number of numbers) {
      const name = `${id} ${number}`;
      const block = this.#kept?.get(name);
      const flight = block ? undefined : this.#flights.get(name);
      if (block) found.set(number, block);
      else if (flight) joined.add(flight);
      else missing.push(number);
    }
    this.#tally.hits += numbers.length - missing.length;
    this.#tally.misses += missing.length;
    if (found.size === numbers.length) return found;
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    const take = async (flight: Flight): Promise<void> => {
      for (const [number, block] of await join(flight, leaving.signal)) found.set(number, block);
    };
    const turns = new Limiter(() => ({ running: maxAtOnce, waiting: Number.POSITIVE_INFINITY }));
    const inTurn: FetchBlocks = async (first, count, aborting) => {
      const free = await turns.take(aborting);
      return fetch(first, count, aborting).finally(free);
    };
    // All are known before the first is sent, so that other readers join them.
    for (const [first, count] of runsOf(missing)) joined.add(this.#start(id, first, count, inTurn));
    try {
      await Promise.all([...joined].map(take));
      return found;
    } finally {
      signal.removeEventListener("abort", leave);
      leaving.abort(new Error("Another part of the same reading failed."));
    }
  }

  #start(id: number, first: number, count: number, fetch: FetchBlocks): Flight {
    const abort = new AbortController();
    const names = Array.from({ length: count }, (_, index) => `${id} ${first + index}`);
    const land = (): void => {
      for (const name of names) if (this.#flights.get(name) === flight) this.#flights.delete(name);
    };
    const result = fetch(first, count, abort.signal)
      .then((blocks) => {
        this.keep(id, first, blocks);
        return new Map(blocks.map((block, index) => [first + index, block] as const));
      })
      .finally(land);
    result.catch(() => undefined);
    const flight: Flight = { result, abort, listeners: 0 };
    // Who comes once nobody waits any more must not join what is being stopped.
    abort.signal.addEventListener("abort", land, { once: true });
    for (const name of names) this.#flights.set(name, flight);
    return flight;
  }
}

/** The outcome of a request; it is given up when the last one who waits for it leaves. */
const join = (flight: Flight, signal: AbortSignal): Promise<ReadonlyMap<number, Uint8Array>> => {
  flight.listeners++;
  return new Promise<ReadonlyMap<number, Uint8Array>>((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    flight.result.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  }).finally(() => {
    flight.listeners--;
    if (flight.listeners === 0) flight.abort.abort(new Error("Nobody waits for it any more."));
  });
};

/** Numbers that follow each other, taken together up to a bound: the first and how many. */
const runsOf = (numbers: readonly number[]): [number, number][] => {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[0] + run[1] === number && run[1] < maxTogether) run[1]++;
    else runs.push([number, 1]);
  }
  return runs;
};
