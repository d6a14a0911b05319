import { ServerError } from "./errors.ts";

/** How many pieces of work may run at once, and how many may wait. */
export interface LimiterLimits {
  readonly running: number;
  readonly waiting: number;
}

/** Limits how much work runs at once; more waits in order of arrival, up to a limit. */
export class Limiter {
  readonly #limits: () => LimiterLimits;
  readonly #tooMany: string;
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** `tooMany` is the message for a client that is refused because too many wait. */
  constructor(
    limits: () => LimiterLimits,
    tooMany = "Too many requests wait for the storage of this image.",
  ) {
    this.#limits = limits;
    this.#tooMany = tooMany;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits for a slot; returns a function that frees it. Throws `busy` if too many wait, and the
   * signal's reason.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const limits = this.#limits();
    if (this.#running >= limits.running) {
      if (this.#queue.size >= limits.waiting) throw new ServerError("busy", this.#tooMany);
      await this.#wait(signal);
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

  /** Runs work in a slot of its own; throws what `take` and the work throw. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const free = await this.take(signal);
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Resolves once a slot is counted for the caller. */
  #wait(signal: AbortSignal): Promise<void> {
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
