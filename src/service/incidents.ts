import { LRUCache } from "lru-cache";

/** How many incidents an image may cause, and how long they are remembered. */
export interface IncidentLimits {
  /** Incidents before an image is quarantined; 0 for never. */
  readonly after: number;
  readonly ms: number;
}

/**
 * What the incidents of an image amount to: `suspect` has as many as a quarantined one, but none of
 * them is proven.
 */
export type IncidentVerdict =
  | { readonly kind: "free" | "suspect" }
  | { readonly kind: "refused"; readonly leftMs: number };

/**
 * The times at which reading an image crashed something, or may have, in milliseconds of the clock.
 */
interface Incidents {
  /** Only this image can be the cause. */
  readonly proven: readonly number[];
  /** A worker died, perhaps for another reason. */
  readonly suspected: readonly number[];
}

/** Maximum number of remembered images; the one quiet for longest is forgotten first. */
const maxPictures = 1_000;

/** Maximum number of incidents kept per image; more make no difference. */
const maxIncidents = 1_000;

const free: IncidentVerdict = { kind: "free" };

/** Recent incidents of images, by name. */
export class IncidentLog {
  readonly #limits: () => IncidentLimits;
  readonly #pictures = new LRUCache<string, Incidents>({ max: maxPictures });

  constructor(limits: () => IncidentLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#pictures.size === 0;
  }

  has(name: string): boolean {
    return this.#pictures.has(name);
  }

  add(name: string, kind: keyof Incidents, time: number): void {
    const since = time - this.#limits().ms;
    const { proven = [], suspected = [] } = this.#pictures.get(name) ?? {};
    const recent = (times: readonly number[]): readonly number[] =>
      times.filter((one) => one > since).slice(-maxIncidents);
    const incidents = { proven: recent(proven), suspected: recent(suspected) };
    this.#pictures.set(name, { ...incidents, [kind]: [...incidents[kind], time] });
  }

  /** Removes the oldest suspicion of an image, or all of them; returns whether there was one. */
  clear(name: string, { all }: { readonly all: boolean }): boolean {
    const incidents = this.#pictures.peek(name);
    if (incidents === undefined || incidents.suspected.length === 0) return false;
    const suspected = all ? [] : incidents.suspected.slice(1);
    if (incidents.proven.length === 0 && suspected.length === 0) this.#pictures.delete(name);
    else this.#pictures.set(name, { ...incidents, suspected });
    return true;
  }

  verdict(name: string, now: number): IncidentVerdict {
    const incidents = this.isEmpty ? undefined : this.#pictures.get(name);
    if (incidents === undefined) return free;
    const { after, ms } = this.#limits();
    const { proven, suspected } = incidents;
    const times = [...proven, ...suspected].sort((one, other) => one - other);
    const last = times.at(-1);
    if (after === 0 || last === undefined || times.length < after) return free;
    const first = times[times.length - after] ?? last;
    const leftMs = last + ms - now;
    if (leftMs <= 0 || last - first >= ms) return free;
    return proven.length > 0 ? { kind: "refused", leftMs } : { kind: "suspect" };
  }
}
