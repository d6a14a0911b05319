import { ServerError } from "./errors.ts";

/** How much may be under way, and how much may wait. */
export interface SlotLimits {
  readonly running: number;
  readonly waiting: number;
}

/** Bounds how much is under way at a time; what is more waits in order of arrival, up to a bound. */
export class Slots {
  readonly #limits: () => SlotLimits;
  readonly #crowded: string;
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** `crowded` is what a client reads where too many wait. */
  constructor(
    limits: () => SlotLimits,
    crowded = "Too many requests wait for the storage of this image.",
  ) {
    this.#limits = limits;
    this.#crowded = crowded;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Waits for a slot; answers what frees it again. Throws `busy` where too many wait, and the signal's reason. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const limits = this.#limits();
    if (this.#running >= limits.running) {
      if (this.#queue.size >= limits.waiting) throw new ServerError("busy", this.#crowded);
      await this.#turn(signal);
    } else {
      this.#running++;
    }
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#running--;
      this.#advance();
    };
  }

  /** Resolves once a slot was counted for the caller. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#queue.delete(admit);
        reject(signal.reason);
      };
      this.#queue.add(admit);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #advance(): void {
    for (const admit of this.#queue) {
      if (this.#running >= this.#limits().running) return;
      this.#queue.delete(admit);
      this.#running++;
      admit();
    }
  }
}
