/** The speed of work, learned from recent work. */
export class Pace {
  #msPerPixel: number | undefined;

  /** Records that work of so many pixels took so many milliseconds. */
  note(pixels: number, ms: number): void {
    if (pixels <= 0) return;
    const seen = ms / pixels;
    this.#msPerPixel =
      this.#msPerPixel === undefined ? seen : this.#msPerPixel + (seen - this.#msPerPixel) * weight;
  }

  /** Estimated duration of so many pixels in milliseconds; a guess before anything was recorded. */
  expect(pixels: number): number {
    return pixels * (this.#msPerPixel ?? usualMsPerPixel);
  }
}

/** Typical of common processors: without a guess, the first requests would all be queued. */
const usualMsPerPixel = 1e-5;

/** The weight of the latest piece of work against all before it. */
const weight = 0.1;
