import type { Death } from "./messages.ts";

/** So many deaths are remembered, the latest. */
const mostDeaths = 100;

/** What workers, or their decoders, were doing when they died, for those that come after them. */
export class Mourned {
  readonly #now: () => number;
  readonly #deaths: { readonly names: readonly string[]; readonly at: number }[] = [];

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  /** One has just died. */
  add(names: readonly string[]): Death {
    this.#deaths.push({ names, at: this.#now() });
    if (this.#deaths.length > mostDeaths) this.#deaths.shift();
    return { names, ago: 0 };
  }

  all(): readonly Death[] {
    return this.#deaths.map(({ names, at }) => ({ names, ago: this.#now() - at }));
  }
}
