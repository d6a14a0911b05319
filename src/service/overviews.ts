import { LRUCache } from "lru-cache";
import type { ImageInfo } from "../core/info.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Overview, OverviewJob } from "../render/overview.ts";

/** Milliseconds after which an overview is dropped: a viewer's next view has another one. */
const keptMs = 20_000;

/** The overviews in memory of a process, bounded in bytes and time. */
export class Overviews {
  readonly maxBytes: number;
  readonly #kept: LRUCache<string, Overview> | undefined;
  readonly #flights = new SingleFlight<Overview>();
  readonly #numbers = new WeakMap<ImageInfo, number>();
  #count = 0;
  readonly #tally = { hits: 0, misses: 0 };

  /** At most so many bytes; with 0 none are made. */
  constructor(maxBytes: number) {
    this.maxBytes = Math.floor(maxBytes);
    this.#kept =
      this.maxBytes > 0
        ? new LRUCache({ maxSize: this.maxBytes, ttl: keptMs, ttlAutopurge: true })
        : undefined;
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
   * The overview, made by `make` unless it is in memory or being made for another tile. Rejects with
   * the signal's reason once it aborts; `make` is aborted when nobody waits for it any more.
   */
  async get(
    wanted: Pick<OverviewJob, "info" | "key">,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<Overview>,
  ): Promise<Overview> {
    const name = this.#nameOf(wanted);
    const kept = this.#kept?.get(name);
    this.#tally[kept !== undefined || this.#flights.has(name) ? "hits" : "misses"]++;
    if (kept !== undefined) return kept;
    return this.#flights.run(name, signal, async (own) => {
      const made = await make(own);
      this.#kept?.set(name, made, { size: Math.max(1, made.pixels.length) });
      return made;
    });
  }

  /** An image whose file was replaced has another info. */
  #nameOf({ info, key }: Pick<OverviewJob, "info" | "key">): string {
    const number = this.#numbers.get(info) ?? this.#count++;
    this.#numbers.set(info, number);
    return `${number}/${key}`;
  }
}
