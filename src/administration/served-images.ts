import type { ServedImage } from "./member.ts";

/** How many formats are remembered. */
const max = 100;

/** Remembers an image of each format that was read, the latest one. */
export class ServedImages {
  readonly #known = new Map<string, ServedImage>();

  note(served: ServedImage): void {
    const before = this.#known.get(served.format);
    if (before === undefined && this.#known.size >= max) return;
    this.#known.set(served.format, served);
  }

  /** Takes away what turned out not to be there any more. */
  forget(identifier: string): void {
    for (const [format, served] of this.#known)
      if (served.identifier === identifier) this.#known.delete(format);
  }

  get all(): readonly ServedImage[] {
    return [...this.#known.values()];
  }
}

/** Of each pair of source and format one. */
export const distinct = (served: readonly ServedImage[]): readonly ServedImage[] => [
  ...new Map(served.map((one) => [`${one.source} ${one.format}`, one])).values(),
];
