import { LRUCache } from "lru-cache";
import { Limiter } from "../../core/limiter.ts";

/** Size of an aligned block in bytes: a read transfers at most 64 KiB more than it needs. */
export const blockBytes = 32_768;

/** Fetches consecutive blocks. */
export type FetchBlocks = (
  first: number,
  count: number,
  signal: AbortSignal,
) => Promise<readonly Uint8Array[]>;

/** One request for blocks, and its waiters. */
interface Flight {
  readonly result: Promise<ReadonlyMap<number, Uint8Array>>;
  readonly abort: AbortController;
  listeners: number;
}

/** Maximum number of blocks of one request. */
const maxTogether = 64;
/** Maximum number of concurrent requests of one read. */
const maxAtOnce = 8;
/** Overhead of a cached block in bytes. */
const besides = 256;
const maxObjects = 65_536;

/** A bounded cache of blocks of remote objects. Concurrent readers of a block share one request. */
export class Blocks {
  readonly #kept: LRUCache<string, Uint8Array> | undefined;
  readonly #flights = new Map<string, Flight>();
  /** Short ids of object versions. */
  readonly #ids = new LRUCache<string, number>({ max: maxObjects });
  readonly #tally = { hits: 0, misses: 0 };
  readonly maxBytes: number;
  #last = 0;

  /** 0 bytes: nothing is cached. */
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

  /** Counts of blocks that were cached and of those that had to be fetched. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  clear(): void {
    this.#kept?.clear();
  }

  /** The short id of an object version. */
  idOf(key: string, version: string): number {
    const name = `${version}\0${key}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#last++;
    this.#ids.set(name, this.#last);
    return this.#last;
  }

  /** Stores fetched blocks, from the first on. */
  keep(id: number, first: number, blocks: readonly Uint8Array[]): void {
    for (const [index, block] of blocks.entries()) this.#kept?.set(`${id} ${first + index}`, block);
  }

  /** The blocks with these ascending numbers, from the cache as far as they are there. */
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
    // All are registered before the first request is sent, so that other readers join them.
    for (const [first, count] of runsOf(missing)) joined.add(this.#start(id, first, count, inTurn));
    try {
      await Promise.all([...joined].map(take));
      return found;
    } finally {
      signal.removeEventListener("abort", leave);
      leaving.abort(new Error("Another part of the same read failed."));
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
    // A reader that comes once nobody waits any more must not join a request that is being aborted.
    abort.signal.addEventListener("abort", land, { once: true });
    for (const name of names) this.#flights.set(name, flight);
    return flight;
  }
}

/** The result of a request, which is aborted when its last waiter leaves. */
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

/** Runs of consecutive numbers, up to a bound: the first and how many. */
const runsOf = (numbers: readonly number[]): [number, number][] => {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[0] + run[1] === number && run[1] < maxTogether) run[1]++;
    else runs.push([number, 1]);
  }
  return runs;
};
