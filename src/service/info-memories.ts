import { LRUCache } from "lru-cache";
import { bytesOfInfo, usualInfoBytes } from "./info-bytes.ts";
import type { KnownImage } from "./known.ts";
import type { Extent } from "./learned-info.ts";

/** What was learned, and when the source last said that it still holds. */
export interface Memory {
  readonly known: KnownImage;
  /** In milliseconds of the clock that trust goes by. */
  readonly seen: number;
}

/** What is remembered of images in a process. */
export interface InfosHeld {
  readonly entries: number;
  readonly bytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const usualBytes = 33_554_432;

/** What this process knows of images, within a bound of bytes, by identifier. */
export class InfoMemories {
  readonly #memories: LRUCache<string, Memory>;

  constructor(maxBytes = usualBytes) {
    this.#memories = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ known }, identifier) => bytesOfInfo(known.info) + 2 * identifier.length,
    });
  }

  /** What is remembered, and the most that may be; how many those bytes are good for is a guess. */
  get held(): InfosHeld {
    const maxBytes = this.#memories.maxSize;
    return {
      entries: this.#memories.size,
      bytes: this.#memories.calculatedSize,
      maxEntries: Math.max(this.#memories.size, Math.floor(maxBytes / usualInfoBytes)),
      maxBytes,
    };
  }

  get(identifier: string): Memory | undefined {
    return this.#memories.get(identifier);
  }

  /** As `get`, without counting as use. */
  peek(identifier: string): Memory | undefined {
    return this.#memories.peek(identifier);
  }

  /** Remembers an image; where more of the same version is known already, that it still holds. */
  set(identifier: string, { known, seen }: Memory): void {
    const before = this.#memories.peek(identifier)?.known;
    const isLess = before?.version === known.version && !suffices(known, extentOf(before));
    this.#memories.set(identifier, { known: isLess ? before : known, seen });
  }

  /** Releases what turned out to hold no longer. */
  forget(identifier: string, { version }: Pick<KnownImage, "version">): void {
    if (this.#memories.peek(identifier)?.known.version === version)
      this.#memories.delete(identifier);
  }

  /** Remembers that a video of unknown length has no frame at a second any more, counted from 0. */
  learnEnd(identifier: string, { version }: Pick<KnownImage, "version">, second: number): void {
    const memory = this.#memories.peek(identifier);
    if (memory?.known.version !== version) return;
    const { info } = memory.known;
    if (info.seconds !== "unknown" || second >= (info.endsBy ?? Number.POSITIVE_INFINITY)) return;
    const known = { ...memory.known, info: { ...info, endsBy: second } };
    this.#memories.set(identifier, { ...memory, known });
  }

  /** Releases everything, or of all that is remembered of one image. */
  forgetAll(identifier?: string): void {
    if (identifier === undefined) this.#memories.clear();
    else this.#memories.delete(identifier);
  }
}

/** How much is known of an image. */
export const extentOf = ({ info }: KnownImage): Extent => (info.isOutline ? "outline" : "whole");

/** Whether as much is known of an image as somebody has to know. */
export const suffices = (known: KnownImage, extent: Extent): boolean =>
  extent === "outline" || extentOf(known) === "whole";

/**
 * Names a look that several wait for: who knows of another version must not be given what they
 * find.
 */
export const lookOf = (identifier: string, memory: Memory | undefined, extent: Extent): string =>
  `${extent}\0${identifier}\0${memory?.known.version ?? ""}`;
