import { area, type Rect, type Size } from "../../core/geometry.ts";
import { SingleFlight } from "../../core/singleflight.ts";
import { ByteCache } from "../shared/index.ts";

/** Bytes per pixel: red, green and blue. */
export const samples = 3;

/** The requested part of a page, at a scale. */
export interface PagePart {
  /** Identifies the document, in its current state, and the page. */
  readonly page: string;
  /** The scaled size of the whole page in pixels. */
  readonly whole: Size;
  /** In pixels of that, inside it. */
  readonly region: Rect;
}

/** When the whole page is rendered instead: never, where images make it slow, or always. */
export type DrawWhole = "never" | "if pictures" | "always";

/** A thread's result. */
export interface DrawnPart {
  readonly pixels: Uint8Array;
  /** Whether it is the whole page. */
  readonly isWhole: boolean;
  /** Duration in milliseconds. */
  readonly ms: number;
}

/**
 * Milliseconds from which a page is slow: it is rendered as a whole once more of it is requested.
 */
const slowMs = 40;

/** Maximum number of pages known to be slow or not. */
const maxPages = 4_096;

/**
 * Caches slow pages, such as scans, whose image PDFium decodes again for every part: they are
 * rendered once per scale, within a bound of bytes. Of all others only the requested part is
 * rendered.
 */
export class PageRasters {
  readonly #kept: ByteCache<string, Uint8Array>;
  readonly #flights = new SingleFlight<DrawnPart>();
  /** Latest last. */
  readonly #isSlow = new Map<string, boolean>();

  /** With room for so many bytes; a page may take a quarter of them. */
  constructor(max: number) {
    this.#kept = new ByteCache(max);
  }

  /** The pixels of a part, row by row, in memory of their own. */
  async part(
    wanted: PagePart,
    signal: AbortSignal,
    draw: (whole: DrawWhole, signal: AbortSignal) => Promise<DrawnPart>,
  ): Promise<Uint8Array> {
    const { page, whole, region } = wanted;
    const key = `${page} ${whole.width}x${whole.height}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return cutOf(kept, wanted);
    const isSlow = this.#isSlow.get(page);
    const isWhole = area(region) === area(whole);
    if (isWhole || isSlow === false || !this.#kept.takes(area(whole) * samples))
      return this.#take(wanted, await draw("never", signal));
    const way = isSlow === true ? "always" : "if pictures";
    let isOwn = false;
    const drawn = await this.#flights.run(key, signal, async (until) => {
      isOwn = true;
      const first = await draw(way, until);
      this.#learn(page, first);
      if (first.isWhole) this.#kept.set(key, first.pixels, first.pixels.length);
      return first;
    });
    if (drawn.isWhole) return cutOf(drawn.pixels, wanted);
    return isOwn ? drawn.pixels : this.part(wanted, signal, draw);
  }

  #take({ page }: PagePart, drawn: DrawnPart): Uint8Array {
    this.#learn(page, drawn);
    return drawn.pixels;
  }

  #learn(page: string, { isWhole, ms }: DrawnPart): void {
    const isSlow = isWhole || ms > slowMs;
    // A slow page does not become fast because a small part of it was.
    if (!isSlow && this.#isSlow.get(page) === true) return;
    this.#isSlow.delete(page);
    this.#isSlow.set(page, isSlow);
    for (const oldest of this.#isSlow.keys()) {
      if (this.#isSlow.size <= maxPages) return;
      this.#isSlow.delete(oldest);
    }
  }
}

const cutOf = (pixels: Uint8Array, { whole, region }: PagePart): Uint8Array => {
  const length = region.width * samples;
  const cut = new Uint8Array(length * region.height);
  for (let row = 0; row < region.height; row++) {
    const from = ((region.y + row) * whole.width + region.x) * samples;
    cut.set(pixels.subarray(from, from + length), row * length);
  }
  return cut;
};
