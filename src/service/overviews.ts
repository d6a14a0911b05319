import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { untilAborted } from "../core/abort.ts";
import { fail } from "../core/errors.ts";
import type { ImageInfo } from "../core/info.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Overview, OverviewJob, TakeGrowing } from "../render/overview.ts";
import { completeOverview, type GrowingOverview, OverviewInMaking } from "./overview-in-making.ts";

/** Milliseconds after which an overview is dropped: a viewer's next view has another one. */
const keptMs = 20_000;

/** An overview of a stored image. */
export interface WantedOverview extends Pick<OverviewJob, "info" | "key" | "rowsIn"> {
  readonly identifier: string;
  readonly version: string;
}

/** Which overview is looked for. */
export type OverviewName = Pick<WantedOverview, "identifier" | "version" | "key">;

/** The overviews of the server's other processes. */
export interface OtherOverviews {
  /**
   * The overview by this name from a process that has it or is making it. Undefined where this
   * process is to make it: others then get it from here. `grown` gets what there is of it before it
   * is complete. Rejects only with the signal's reason.
   */
  find(name: string, signal: AbortSignal, grown: TakeGrowing): Promise<Overview | undefined>;
  /**
   * The complete overview by this name from a process that has it or is making it; undefined where
   * there is none. Rejects only with the signal's reason.
   */
  look(name: string, signal: AbortSignal): Promise<Overview | undefined>;
  /** Lets others have overviews of this process, at most so many bytes at a time. */
  serve(lend: LendOverview, maxBytes: number): void;
}

/**
 * The overview by the name that all processes share, once more bytes of it are final than `after`;
 * undefined where this process has none.
 */
export type LendOverview = (name: string, after: number) => Promise<GrowingOverview | undefined>;

/** Makes an overview: as `OverviewJob.make`. */
export type MakeOverview = (signal: AbortSignal, grown: TakeGrowing) => Promise<Overview>;

interface Kept {
  readonly overview: Overview;
  /** The same in all processes. */
  readonly sharedName: string;
}

/** The overviews in memory of a process, bounded in bytes and time. */
export class Overviews {
  readonly maxBytes: number;
  readonly #kept: LRUCache<string, Kept> | undefined;
  readonly #flights = new SingleFlight<Overview>();
  readonly #making = new Map<string, OverviewInMaking>();
  readonly #others: OtherOverviews | undefined;
  readonly #numbers = new WeakMap<ImageInfo, number>();
  #count = 0;
  readonly #tally = { hits: 0, misses: 0 };

  /** At most so many bytes; with 0 none are made. `others`: absent where this is the only process. */
  constructor(maxBytes: number, others?: OtherOverviews) {
    this.maxBytes = Math.floor(maxBytes);
    this.#others = others;
    this.#kept =
      this.maxBytes > 0
        ? new LRUCache({ maxSize: this.maxBytes, ttl: keptMs, ttlAutopurge: true })
        : undefined;
    others?.serve((name, after) => this.#lend(name, after), this.maxBytes / 2);
  }

  /** How many tiles were cut from an overview in memory, and for how many one was made first. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  clear(): void {
    this.#kept?.clear();
  }

  /** Whether an overview is small enough to be shared: at most a quarter of the memory. */
  takes({ bytes }: Pick<OverviewJob, "bytes">): boolean {
    return bytes <= this.maxBytes / 4;
  }

  /** Whether an overview is in memory, or being made. */
  has(wanted: Pick<OverviewJob, "info" | "key">): boolean {
    const name = this.#nameOf(wanted);
    return this.#kept?.has(name) === true || this.#flights.has(name);
  }

  /**
   * The overview, of which the rows that are wanted are final: from memory, from another process, or
   * made by `make`, once for all tiles that are waiting for it. Rejects with the signal's reason once
   * it aborts; `make` is aborted when nobody waits for it any more, and nobody got a part of it.
   */
  async get(wanted: WantedOverview, signal: AbortSignal, make: MakeOverview): Promise<Overview> {
    const name = this.#nameOf(wanted);
    const kept = this.#kept?.get(name)?.overview;
    this.#tally[kept !== undefined || this.#flights.has(name) ? "hits" : "misses"]++;
    if (kept !== undefined) return kept;
    signal.throwIfAborted();
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    const whole = this.#flights.run(name, leaving.signal, (own) =>
      this.#make(name, wanted, own, make),
    );
    const isEnough = ({ overview, final }: GrowingOverview): boolean =>
      wanted.rowsIn(overview) <= final.rows;
    const making = this.#making.get(name);
    const part = making ? [making.until(isEnough).then(({ overview }) => overview)] : [];
    try {
      return await Promise.race([whole, ...part]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /**
   * The complete overview that this or another process has or is making; undefined where there is
   * none. Does not count as use. Rejects with the signal's reason, or if making it fails.
   */
  async look(wanted: OverviewName, signal: AbortSignal): Promise<Overview | undefined> {
    const sharedName = sharedNameOf(wanted);
    for (let after = 0; ; ) {
      const own = await untilAborted(signal, () => this.#lend(sharedName, after));
      if (own === undefined) return this.#others?.look(sharedName, signal);
      if (own.final.bytes === own.overview.pixels.length) return own.overview;
      after = own.final.bytes;
    }
  }

  async #make(
    name: string,
    wanted: WantedOverview,
    signal: AbortSignal,
    make: MakeOverview,
  ): Promise<Overview> {
    const sharedName = sharedNameOf(wanted);
    const making = new OverviewInMaking(sharedName);
    this.#making.set(name, making);
    const grown: TakeGrowing = (overview, final) => making.grow(overview, final);
    try {
      let overview = await this.#others?.find(sharedName, signal, grown);
      if (overview === undefined) {
        making.reset();
        overview = await make(signal, grown);
      }
      const size = Math.max(1, overview.pixels.length);
      this.#kept?.set(name, { overview, sharedName }, { size });
      return overview;
    } finally {
      if (this.#making.get(name) === making) this.#making.delete(name);
    }
  }

  /** What there is of it by now; waits for one that is being made. */
  async #lend(sharedName: string, after: number): Promise<GrowingOverview | undefined> {
    for (const [name, making] of this.#making) {
      if (making.sharedName !== sharedName || !this.#flights.has(name)) continue;
      const whole = this.#flights.run(name, AbortSignal.timeout(lendingMs), notMade);
      const part = making.until(({ final }) => final.bytes > after);
      return Promise.race([whole.then(completeOverview), part]);
    }
    // The latest come first: an earlier one may be of a file that was replaced.
    for (const kept of this.#kept?.values() ?? [])
      if (kept.sharedName === sharedName) return completeOverview(kept.overview);
    return undefined;
  }

  /** An image whose file was replaced has another info. */
  #nameOf({ info, key }: Pick<OverviewJob, "info" | "key">): string {
    const number = this.#numbers.get(info) ?? this.#count++;
    this.#numbers.set(info, number);
    return `${number}/${key}`;
  }
}

/** The same in every process for the same state of an image. */
const sharedNameOf = ({ identifier, version, key }: OverviewName): string =>
  hash("sha256", JSON.stringify([identifier, version, key]));

/** Milliseconds for which an overview that is being made is awaited for another process. */
const lendingMs = 60_000;

/** The work of a flight that is only joined. */
const notMade = (): Promise<never> => fail("internal", "An overview that is lent is not made.");
