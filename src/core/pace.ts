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

  /** How long so many pixels will take, in milliseconds; 0 as long as nothing is known. */
  expect(pixels: number): number {
    return pixels * (this.#msPerPixel ?? 0);
  }
}

/** What the latest piece of work counts against all before it. */
const weight = 0.1;
