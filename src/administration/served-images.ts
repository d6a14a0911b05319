import type { ServedImage } from "./member.ts";

/** Maximum number of remembered formats. */
const max = 100;

/** Remembers the latest image read of each format. */
export class ServedImages {
  readonly #known = new Map<string, ServedImage>();

  note(served: ServedImage): void {
    const before = this.#known.get(served.format);
    if (before === undefined && this.#known.size >= max) return;
    this.#known.set(served.format, served);
  }

  /** Removes images that no longer exist. */
  forget(identifier: string): void {
    for (const [format, served] of this.#known)
      if (served.identifier === identifier) this.#known.delete(format);
  }

  get all(): readonly ServedImage[] {
    return [...this.#known.values()];
  }
}

/** One for each pair of source and format. */
export const distinct = (served: readonly ServedImage[]): readonly ServedImage[] => [
  ...new Map(served.map((one) => [`${one.source} ${one.format}`, one])).values(),
];
