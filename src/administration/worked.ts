import type { Worked } from "./member.ts";

/** How many formats are remembered. */
const max = 100;

/** Remembers an image of each format that was read, the latest one. */
export class WorkedImages {
  readonly #known = new Map<string, Worked>();

  note(worked: Worked): void {
    const before = this.#known.get(worked.format);
    if (before === undefined && this.#known.size >= max) return;
    this.#known.set(worked.format, worked);
  }

  /** Takes away what turned out not to be there any more. */
  forget(identifier: string): void {
    for (const [format, worked] of this.#known)
      if (worked.identifier === identifier) this.#known.delete(format);
  }

  get all(): readonly Worked[] {
    return [...this.#known.values()];
  }
}

/** Of each pair of source and format one. */
export const distinct = (worked: readonly Worked[]): readonly Worked[] => [
  ...new Map(worked.map((one) => [`${one.source} ${one.format}`, one])).values(),
];
