import { fail } from "../../../core/errors.ts";
import { area, type Rect } from "../../../core/geometry.ts";
import { SingleFlight } from "../../../core/singleflight.ts";
import { ByteCache } from "../../shared/index.ts";
import { chunksIn, covering, inside, isAll, rowsInto } from "./chunks.ts";
import type { Jp2Level } from "./levels.ts";

/** Pixels of a level, of 8 bits a sample. */
export interface LevelPixels {
  /** Whose level it is; another state of the same file is another object. */
  readonly picture: object;
  readonly level: Jp2Level;
  /** Of a pixel. */
  readonly samples: number;
}

/** Pixels of a region of a level: its interleaved samples. */
export interface RegionPixels {
  readonly values: Uint8Array;
  /** Whether others have them, too: then they may be read, but neither changed nor given away. */
  readonly isShared: boolean;
}

/** Decodes a region of a level: interleaved samples in memory of their own, which is given away. */
export type DecodePixels = (region: Rect, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * Larger regions are neither looked for nor kept: a single one would push out what many others
 * need.
 */
const maxPixels = 1_048_576;

/**
 * Whose pixels there is room for twice are remembered for having been asked for: what comes back
 * later would be gone by then.
 */
const bytesPerAsked = (256 * 256 * 3) / 2;

/** Who wait for the same pixels. */
interface PendingChunk {
  readonly first: AbortSignal;
  askers: number;
}

/** A piece of a level that is kept. */
interface CachedChunk {
  readonly chunk: Rect;
  readonly pixels: Uint8Array;
}

/**
 * The pixels that were decoded last, in chunks of a level. What is asked for is decoded just as far
 * as it is not there, and once for all who ask for the same at the same time.
 */
export class PixelCache {
  /** The most that all may take, in bytes. */
  readonly maxBytes: number;
  readonly #chunks: ByteCache<string, Uint8Array>;
  readonly #names = new WeakMap<object, number>();
  readonly #flights = new SingleFlight<RegionPixels>();
  readonly #waiting = new Map<string, PendingChunk>();
  /**
   * The regions that were asked for last and whose pixels were not kept for that, the latest last.
   */
  readonly #asked = new Set<string>();
  readonly #tally = { hits: 0, misses: 0 };
  #last = 0;

  /** At most so many bytes; 0 for none at all. */
  constructor(max: number) {
    this.maxBytes = max;
    this.#chunks = new ByteCache(max);
  }

  /** How often regions were wholly there, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    return this.#chunks.bytes;
  }

  /** Releases all. */
  clear(): void {
    this.#chunks.clear();
    this.#asked.clear();
  }

  /**
   * Whether the pixels of a region are kept, or worth it: it was asked for before, not too long
   * ago. In a viewer's session most tiles are wanted once, and keeping their pixels costs more than
   * it spares.
   */
  isWanted(of: LevelPixels, region: Rect): boolean {
    if (!this.#takes(of, region)) return false;
    if (this.#asked.has(this.#askedName(of, region))) return true;
    return chunksIn(of.level, region).every((chunk) => this.#has(of, chunk));
  }

  /** Takes note that a region is asked for whose pixels are not kept. */
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

  /** The pixels of a region, where all of it is kept; undefined where it is not. */
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
   * The pixels of a region, decoded as far as they are not kept. Rejects with what `decode` does,
   * which is not kept, and with the signal's reason as soon as it aborts; the work is aborted only
   * when no request waits for it any more.
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
        // Who began may have left, and closed the file behind it.
        if (signal.aborted || waiting.first === signal || !waiting.first.aborted) throw error;
      }
    }
  }

  /** Whether a region is looked for and kept: what reaches beyond the level is in no chunks. */
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

  /** Decodes the part of a region that has all that is not kept of it. */
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
      if (pixels === undefined) missing.push(inside(chunk, region));
      else found.push({ chunk, pixels });
    }
    if (missing.length === 0) return regionOf(of, region, found);
    const part = covering(missing);
    const pixels = await decode(part, signal);
    if (pixels.length !== area(part) * of.samples)
      fail("internal", `Expected ${area(part) * of.samples} samples, not ${pixels.length}.`);
    const isShared = this.#keep(of, { chunk: part, pixels });
    if (isAll(part, region)) return { values: pixels, isShared };
    return regionOf(of, region, [...found, { chunk: part, pixels }]);
  }

  /** Keeps the chunks that are wholly in a piece; whether that includes its memory. */
  #keep(of: LevelPixels, piece: CachedChunk): boolean {
    let isShared = false;
    for (const chunk of chunksIn(of.level, piece.chunk))
      if (isAll(inside(chunk, piece.chunk), chunk)) {
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

/**
 * The pixels of a region that pieces have all of; those of a piece that is just that are not
 * copied.
 */
const regionOf = (of: LevelPixels, region: Rect, pieces: readonly CachedChunk[]): RegionPixels => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1 && isAll(region, only.chunk))
    return { values: only.pixels, isShared: true };
  return { values: assembled(of, region, pieces), isShared: false };
};

/**
 * The pixels of a chunk in memory that holds nothing else: what is counted is then what is kept.
 */
const ownChunk = (of: LevelPixels, chunk: Rect, piece: CachedChunk): Uint8Array => {
  const { pixels } = piece;
  return isAll(chunk, piece.chunk) && pixels.byteLength === pixels.buffer.byteLength
    ? pixels
    : assembled(of, chunk, [piece]);
};

/** A region in memory of its own; the pieces have all of it. */
const assembled = (
  { samples }: LevelPixels,
  region: Rect,
  pieces: readonly CachedChunk[],
): Uint8Array => {
  // Zeroing it first would take several times as long as the copying.
  const target = new Uint8Array(Buffer.allocUnsafeSlow(area(region) * samples).buffer);
  for (const { chunk, pixels } of pieces)
    rowsInto(target, region, { from: pixels, chunk, samples });
  return target;
};
