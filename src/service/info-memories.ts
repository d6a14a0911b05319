import { LRUCache } from "lru-cache";
import { bytesOfInfo, usualInfoBytes } from "./info-bytes.ts";
import type { KnownImage } from "./known.ts";
import type { Extent } from "./learned-info.ts";

/** An info, and when the source last confirmed it. */
export interface Memory {
  readonly known: KnownImage;
  /** Milliseconds of the clock that measures trust. */
  readonly seen: number;
}

/** Image infos in the memory of a process. */
export interface InfosHeld {
  readonly entries: number;
  readonly bytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const usualBytes = 33_554_432;

/** The infos that this process knows, by identifier, within a bound of bytes. */
export class InfoMemories {
  readonly #memories: LRUCache<string, Memory>;
  #purges = 0;

  constructor(maxBytes = usualBytes) {
    this.#memories = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ known }, identifier) => bytesOfInfo(known.info) + 2 * identifier.length,
    });
  }

  /** Number of cached infos, and the estimated maximum that the bytes allow. */
  get held(): InfosHeld {
    const maxBytes = this.#memories.maxSize;
    return {
      entries: this.#memories.size,
      bytes: this.#memories.calculatedSize,
      maxEntries: Math.max(this.#memories.size, Math.floor(maxBytes / usualInfoBytes)),
      maxBytes,
    };
  }

  /** Number of times that infos were removed at somebody's request. */
  get purges(): number {
    return this.#purges;
  }

  get(identifier: string): Memory | undefined {
    return this.#memories.get(identifier);
  }

  /** As `get`, without counting as use. */
  peek(identifier: string): Memory | undefined {
    return this.#memories.peek(identifier);
  }

  /**
   * Stores an info that was looked up since there were so many `purges`, unless there were more
   * meanwhile. Where a more complete one of the same version is stored already, renews its
   * confirmation only.
   */
  set(identifier: string, { known, seen }: Memory, purges: number): void {
    if (purges !== this.#purges) return;
    const before = this.#memories.peek(identifier)?.known;
    const isLess = before?.version === known.version && !suffices(known, extentOf(before));
    this.#memories.set(identifier, { known: isLess ? before : known, seen });
  }

  /** Removes an info that turned out to be outdated. */
  forget(identifier: string, { version }: Pick<KnownImage, "version">): void {
    if (this.#memories.peek(identifier)?.known.version === version)
      this.#memories.delete(identifier);
  }

  /** Records that a video of unknown length has no frame at a second, counted from 0. */
  learnEnd(identifier: string, { version }: Pick<KnownImage, "version">, second: number): void {
    const memory = this.#memories.peek(identifier);
    if (memory?.known.version !== version) return;
    const { info } = memory.known;
    if (info.seconds !== "unknown" || second >= (info.endsBy ?? Number.POSITIVE_INFINITY)) return;
    const known = { ...memory.known, info: { ...info, endsBy: second } };
    this.#memories.set(identifier, { ...memory, known });
  }

  /** Removes all infos, or all of one image. */
  forgetAll(identifier?: string): void {
    this.#purges++;
    if (identifier === undefined) this.#memories.clear();
    else this.#memories.delete(identifier);
  }
}

/** How much of an image is known. */
export const extentOf = ({ info }: KnownImage): Extent => (info.isOutline ? "outline" : "whole");

/** Whether the known extent is as much as the required one. */
export const suffices = (known: KnownImage, extent: Extent): boolean =>
  extent === "outline" || extentOf(known) === "whole";

/**
 * The name of a shared lookup: a caller that knows another version must not be given its result.
 */
export const lookupKeyOf = (
  identifier: string,
  memory: Memory | undefined,
  extent: Extent,
): string => `${extent}\0${identifier}\0${memory?.known.version ?? ""}`;
