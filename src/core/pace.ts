/** How quickly work gets done, learned from what was done lately. */
export class Pace {
  #msPerPixel: number | undefined;

  /** Takes note of work of so many pixels that took so many milliseconds. */
  note(pixels: number, ms: number): void {
    if (pixels <= 0) return;
    const seen = ms / pixels;
    this.#msPerPixel =
      this.#msPerPixel === undefined ? seen : this.#msPerPixel + (seen - this.#msPerPixel) * weight;
  }

  /** How long so many pixels will take, in milliseconds; a guess as long as nothing is known. */
  expect(pixels: number): number {
    return pixels * (this.#msPerPixel ?? usualMsPerPixel);
  }
}

/**
 * About what common processors take: without a guess, whoever came first would all be let in to
 * wait.
 */
const usualMsPerPixel = 1e-5;

/** What the latest piece of work counts against all before it. */
const weight = 0.1;
