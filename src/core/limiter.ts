import { ServerError } from "./errors.ts";

/** Limits of concurrent and queued work. */
export interface LimiterLimits {
  readonly running: number;
  readonly waiting: number;
}

/** Limits concurrent work; further work is queued in order of arrival, up to a limit. */
export class Limiter {
  readonly #limits: () => LimiterLimits;
  readonly #tooMany: string;
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** `tooMany` is the message to a client that is refused because the queue is full. */
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
   * Waits for a slot; returns a function that frees it. Throws `busy` if the queue is full, and the
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

  /** Runs work in a slot; throws what `take` and the work throw. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const free = await this.take(signal);
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Resolves once a slot is reserved for the caller. */
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
