import { area, type Rect } from "../../core/geometry.ts";
import { SingleFlight } from "../../core/singleflight.ts";
import { ByteBound } from "../tiff-memory.ts";
import { chunksIn, covering, inside, isAll, rowsInto } from "./chunks.ts";
import type { StoredLevel } from "./levels.ts";

/** Pixels of a level, of 8 bits a sample. */
export interface LevelPixels {
  /** Whose level it is; another state of the same file is another object. */
  readonly picture: object;
  readonly level: StoredLevel;
  /** Of a pixel. */
  readonly samples: number;
}

/** Decodes a region of a level: interleaved samples in memory of their own. */
export type DecodePixels = (region: Rect, signal: AbortSignal) => Promise<Uint8Array>;

/** Larger regions are neither looked for nor kept: a single one would push out what many others need. */
const mostPixels = 1_048_576;

/** Who wait for the same pixels. */
interface Waiting {
  readonly first: AbortSignal;
  askers: number;
}

/** A piece of a level that is kept. */
interface Found {
  readonly chunk: Rect;
  readonly pixels: Uint8Array;
}

/**
 * The pixels that were decoded last, in chunks of a level. What is asked for is decoded just as far as it is
 * not there, and once for all who ask for the same at the same time.
 */
export class KeptPixels {
  /** The most that all may take, in bytes. */
  readonly mostBytes: number;
  readonly #chunks: ByteBound<string, Uint8Array>;
  readonly #names = new WeakMap<object, number>();
  readonly #flights = new SingleFlight<Uint8Array>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #tally = { hits: 0, misses: 0 };
  #last = 0;

  /** At most so many bytes; 0 for none at all. */
  constructor(most: number) {
    this.mostBytes = most;
    this.#chunks = new ByteBound(most);
  }

  /** How often regions were wholly there, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    return this.#chunks.bytes;
  }

  /** Lets go of all. */
  clear(): void {
    this.#chunks.clear();
  }

  /** The pixels of a region in memory of their own, where all of it is kept; undefined where it is not. */
  find(of: LevelPixels, region: Rect): Uint8Array | undefined {
    if (this.mostBytes === 0 || area(region) > mostPixels) return undefined;
    const found: Found[] = [];
    for (const chunk of chunksIn(of.level, region)) {
      const pixels = this.#chunks.get(this.#nameOf(of, chunk));
      if (pixels === undefined) return undefined;
      found.push({ chunk, pixels });
    }
    this.#tally.hits++;
    return assembled(of, region, found);
  }

  /**
   * The pixels of a region in memory of their own, decoded as far as they are not kept. Rejects with what
   * `decode` does, which is not kept, and with the signal's reason as soon as it aborts; the work is aborted only
   * when nobody waits for it any more.
   */
  async get(
    of: LevelPixels,
    region: Rect,
    decode: DecodePixels,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (this.mostBytes === 0 || area(region) > mostPixels) return decode(region, signal);
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
        // Each may give its memory away.
        return waiting.askers > 1 ? pixels.slice() : pixels;
      } catch (error) {
        // Who began may have left, and closed the file behind it.
        if (signal.aborted || waiting.first === signal || !waiting.first.aborted) throw error;
      }
    }
  }

  #waitFor(name: string, signal: AbortSignal): Waiting {
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
  ): Promise<Uint8Array> {
    const found: Found[] = [];
    const missing: Rect[] = [];
    for (const chunk of chunksIn(of.level, region)) {
      const pixels = this.#chunks.get(this.#nameOf(of, chunk));
      if (pixels === undefined) missing.push(inside(chunk, region));
      else found.push({ chunk, pixels });
    }
    if (missing.length === 0) return assembled(of, region, found);
    const part = covering(missing);
    const pixels = await decode(part, signal);
    this.#keep(of, part, pixels);
    if (isAll(part, region)) return pixels;
    return assembled(of, region, [...found, { chunk: part, pixels }]);
  }

  /** Keeps the chunks that are wholly there. */
  #keep(of: LevelPixels, part: Rect, pixels: Uint8Array): void {
    for (const chunk of chunksIn(of.level, part))
      if (isAll(inside(chunk, part), chunk)) {
        const own = assembled(of, chunk, [{ chunk: part, pixels }]);
        this.#chunks.set(this.#nameOf(of, chunk), own, own.length);
      }
  }

  #nameOf(of: LevelPixels, { x, y }: Rect): string {
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

/** A region in memory of its own, as far as the pieces go. */
const assembled = (
  { samples }: LevelPixels,
  region: Rect,
  pieces: readonly Found[],
): Uint8Array => {
  const target = new Uint8Array(area(region) * samples);
  for (const { chunk, pixels } of pieces)
    rowsInto(target, region, { from: pixels, chunk, samples });
  return target;
};
