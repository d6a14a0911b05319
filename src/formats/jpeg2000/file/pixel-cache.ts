import { fail } from "../../../core/errors.ts";
import { area, type Rect } from "../../../core/geometry.ts";
import { SingleFlight } from "../../../core/singleflight.ts";
import { ByteCache } from "../../shared/index.ts";
import { chunksIn, covering, intersection, isWholeOf, rowsInto } from "./chunks.ts";
import type { Jp2Level } from "./levels.ts";

/** Pixels of a level, with 8 bits per sample. */
export interface LevelPixels {
  /** The owner of the level; another state of the same file is another object. */
  readonly picture: object;
  readonly level: Jp2Level;
  /** Of a pixel. */
  readonly samples: number;
}

/** Pixels of a region of a level: its interleaved samples. */
export interface RegionPixels {
  readonly values: Uint8Array;
  /** Whether they are shared: then they must be neither changed nor transferred. */
  readonly isShared: boolean;
}

/**
 * Decodes a region of a level: interleaved samples in memory of their own, which may be
 * transferred.
 */
export type DecodePixels = (region: Rect, signal: AbortSignal) => Promise<Uint8Array>;

/** Maximum region for the cache: a single larger one would evict what many others need. */
const maxPixels = 1_048_576;

/**
 * How many requested regions to remember, as a multiple of the cache's capacity: later repetitions
 * would have been evicted by then.
 */
const bytesPerAsked = (256 * 256 * 3) / 2;

/** The waiters for the same pixels. */
interface PendingChunk {
  readonly first: AbortSignal;
  askers: number;
}

/** A cached part of a level. */
interface CachedChunk {
  readonly chunk: Rect;
  readonly pixels: Uint8Array;
}

/**
 * A cache of decoded pixels, in chunks of a level. Only missing parts of a request are decoded, and
 * once for concurrent requests.
 */
export class PixelCache {
  /** Maximum total bytes. */
  readonly maxBytes: number;
  readonly #chunks: ByteCache<string, Uint8Array>;
  readonly #names = new WeakMap<object, number>();
  readonly #flights = new SingleFlight<RegionPixels>();
  readonly #waiting = new Map<string, PendingChunk>();
  /** The regions requested recently without being cached, latest last. */
  readonly #asked = new Set<string>();
  readonly #tally = { hits: 0, misses: 0 };
  #last = 0;

  /** At most so many bytes; 0 for none. */
  constructor(max: number) {
    this.maxBytes = max;
    this.#chunks = new ByteCache(max);
  }

  /** How often regions were entirely cached, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** Total bytes. */
  get bytes(): number {
    return this.#chunks.bytes;
  }

  /** Clears the cache. */
  clear(): void {
    this.#chunks.clear();
    this.#asked.clear();
  }

  /**
   * Whether the pixels of a region are cached, or worth caching: it was requested before, not too
   * long ago. In a viewer's session most tiles are requested once, and caching their pixels costs
   * more than it saves.
   */
  isWanted(of: LevelPixels, region: Rect): boolean {
    if (!this.#takes(of, region)) return false;
    if (this.#asked.has(this.#askedName(of, region))) return true;
    return chunksIn(of.level, region).every((chunk) => this.#has(of, chunk));
  }

  /** Records a request for a region that is not cached. */
  noteAsked(of: LevelPixels, region: Rect): void {
    if (!this.#takes(of, region)) return;
    const name = this.#askedName(of, region);
    this.#asked.delete(name);
    this.#asked.add(name);
    for (const oldest of this.#asked)
      if (this.#asked.size * bytesPerAsked > this.maxBytes) this.#asked.delete(oldest);
      else break;
  }

  #askedName(of: LevelPixels, region: Rect): string {
    return `${this.#resolveName(of, region)},${region.width},${region.height}`;
  }

  /** The pixels of a region that is entirely cached; undefined otherwise. */
  find(of: LevelPixels, region: Rect): RegionPixels | undefined {
    if (!this.#takes(of, region)) return undefined;
    const found: CachedChunk[] = [];
    for (const chunk of chunksIn(of.level, region)) {
      const pixels = this.#chunks.get(this.#resolveName(of, chunk));
      if (pixels === undefined) return undefined;
      found.push({ chunk, pixels });
    }
    this.#tally.hits++;
    return regionOf(of, region, found);
  }

  /**
   * The pixels of a region, decoded as far as they are not cached. Rejects with the error of
   * `decode`, which is not cached, and with the signal's reason as soon as it aborts; the work is
   * aborted only when no request waits for it any more.
   */
  async get(
    of: LevelPixels,
    region: Rect,
    decode: DecodePixels,
    signal: AbortSignal,
  ): Promise<RegionPixels> {
    if (!this.#takes(of, region)) return { values: await decode(region, signal), isShared: false };
    const found = this.find(of, region);
    if (found !== undefined) return found;
    this.#tally.misses++;
    const { x, y, width, height } = region;
    const name = `${this.#levelOf(of)}/${x},${y},${width},${height}`;
    for (;;) {
      const waiting = this.#waitFor(name, signal);
      try {
        const pixels = await this.#flights.run(name, signal, (own) =>
          this.#decode(of, region, decode, own).finally(() => {
            if (this.#waiting.get(name) === waiting) this.#waiting.delete(name);
          }),
        );
        return waiting.askers > 1 ? { ...pixels, isShared: true } : pixels;
      } catch (error) {
        // The request that began it may have left, and closed its file.
        if (signal.aborted || waiting.first === signal || !waiting.first.aborted) throw error;
      }
    }
  }

  /** Whether a region uses the cache: what extends beyond the level is in no chunks. */
  #takes({ level: { size } }: LevelPixels, region: Rect): boolean {
    const { x, y, width, height } = region;
    const isInside = x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height;
    return this.maxBytes > 0 && isInside && area(region) <= maxPixels;
  }

  #waitFor(name: string, signal: AbortSignal): PendingChunk {
    const before = this.#flights.has(name) ? this.#waiting.get(name) : undefined;
    const waiting = before ?? { first: signal, askers: 0 };
    this.#waiting.set(name, waiting);
    waiting.askers++;
    return waiting;
  }

  /** Decodes the part of a region that contains everything not cached. */
  async #decode(
    of: LevelPixels,
    region: Rect,
    decode: DecodePixels,
    signal: AbortSignal,
  ): Promise<RegionPixels> {
    const found: CachedChunk[] = [];
    const missing: Rect[] = [];
    for (const chunk of chunksIn(of.level, region)) {
      const pixels = this.#chunks.get(this.#resolveName(of, chunk));
      if (pixels === undefined) missing.push(intersection(chunk, region));
      else found.push({ chunk, pixels });
    }
    if (missing.length === 0) return regionOf(of, region, found);
    const part = covering(missing);
    const pixels = await decode(part, signal);
    if (pixels.length !== area(part) * of.samples)
      fail("internal", `Expected ${area(part) * of.samples} samples, not ${pixels.length}.`);
    const isShared = this.#keep(of, { chunk: part, pixels });
    if (isWholeOf(part, region)) return { values: pixels, isShared };
    return regionOf(of, region, [...found, { chunk: part, pixels }]);
  }

  /** Caches the chunks that are entirely in a piece; returns whether that shares its memory. */
  #keep(of: LevelPixels, piece: CachedChunk): boolean {
    let isShared = false;
    for (const chunk of chunksIn(of.level, piece.chunk))
      if (isWholeOf(intersection(chunk, piece.chunk), chunk)) {
        const own = ownChunk(of, chunk, piece);
        this.#chunks.set(this.#resolveName(of, chunk), own, own.length);
        isShared ||= own === piece.pixels;
      }
    return isShared;
  }

  #has(of: LevelPixels, chunk: Rect): boolean {
    return this.#chunks.get(this.#resolveName(of, chunk)) !== undefined;
  }

  #resolveName(of: LevelPixels, { x, y }: Rect): string {
    return `${this.#levelOf(of)}/${x},${y}`;
  }

  #levelOf({ picture, level }: LevelPixels): string {
    let name = this.#names.get(picture);
    if (name === undefined) {
      name = ++this.#last;
      this.#names.set(picture, name);
    }
    return `${name}/${level.reduce}`;
  }
}

/** The pixels of a region that pieces cover; a piece of exactly the region is not copied. */
const regionOf = (of: LevelPixels, region: Rect, pieces: readonly CachedChunk[]): RegionPixels => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1 && isWholeOf(region, only.chunk))
    return { values: only.pixels, isShared: true };
  return { values: assembled(of, region, pieces), isShared: false };
};

/** The pixels of a chunk in memory of their own, so that the counted size is the retained one. */
const ownChunk = (of: LevelPixels, chunk: Rect, piece: CachedChunk): Uint8Array => {
  const { pixels } = piece;
  return isWholeOf(chunk, piece.chunk) && pixels.byteLength === pixels.buffer.byteLength
    ? pixels
    : assembled(of, chunk, [piece]);
};

/** A region in memory of its own; the pieces cover it. */
const assembled = (
  { samples }: LevelPixels,
  region: Rect,
  pieces: readonly CachedChunk[],
): Uint8Array => {
  // Zeroing it first would take several times as long as copying.
  const target = new Uint8Array(Buffer.allocUnsafeSlow(area(region) * samples).buffer);
  for (const { chunk, pixels } of pieces)
    rowsInto(target, region, { from: pixels, chunk, samples });
  return target;
};
