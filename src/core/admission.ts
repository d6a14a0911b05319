import { fail } from "./errors.ts";

/** How much may be done at a time, and how much may wait. */
export interface AdmissionLimits {
  /** How many pieces of work may run at once; at least 1. */
  readonly running: number;
  /** How many may wait for their turn; beyond it `busy` is answered at once. */
  readonly waiting: number;
}

interface Waiter {
  readonly admit: () => void;
}

/** Lets a bounded number of pieces of work run, lets a bounded number wait, and refuses the rest. */
export class Admission {
  readonly #limits: () => AdmissionLimits;
  readonly #queue = new Set<Waiter>();
  #running = 0;

  constructor(limits: () => AdmissionLimits) {
    this.#limits = limits;
  }

  /** How many run and how many wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#queue.size };
  }

  /** Runs `work` when its turn comes; `busy` when too many wait already, the signal's reason when it aborts first. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#running >= this.#limits().running) await this.#wait(signal);
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#admitNext();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { waiting } = this.#limits();
    if (this.#queue.size >= waiting)
      fail("busy", `The server is busy: ${waiting} pictures are waiting to be drawn already.`);
    return new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener("abort", leave);
          // Taken here and not by the waiter when it wakes, so that nobody slips in between.
          this.#running++;
          resolve();
        },
      };
      const leave = (): void => {
        this.#queue.delete(waiter);
        reject(signal.reason);
      };
      this.#queue.add(waiter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #admitNext(): void {
    for (const waiter of this.#queue) {
      if (this.#running >= this.#limits().running) return;
      this.#queue.delete(waiter);
      waiter.admit();
    }
  }
}
