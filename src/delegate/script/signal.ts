/** When a call is aborted. */
export interface ScriptDeadline {
  readonly seconds: number;
  /** What is thrown then. */
  late(): Error;
}

/** The outcome of a promise. */
export type PromiseOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly cause: unknown };

/**
 * The options of a call. Nothing is created where the method neither uses the signal nor is
 * asynchronous.
 */
export class CallSignal {
  readonly #request: { readonly signal: AbortSignal };
  #controller: AbortController | undefined;

  /** `request` is asked for its signal on first use. */
  constructor(request: { readonly signal: AbortSignal }) {
    this.#request = request;
  }

  /** Aborts when the request does, or at the deadline. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    const { signal } = this.#request;
    if (signal.aborted) this.#controller.abort(signal.reason);
    return this.#controller.signal;
  }

  /**
   * Waits for a promise as long as the request and the deadline allow; else throws the reason and
   * ignores the promise.
   */
  race(promise: PromiseLike<unknown>, { seconds, late }: ScriptDeadline): Promise<PromiseOutcome> {
    const { signal } = this.#request;
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        stop();
        reject(reason);
        this.#controller ??= new AbortController();
        this.#controller.abort(reason);
      };
      const abort = (): void => leave(signal.reason);
      const timer = setTimeout(() => leave(late()), seconds * 1000);
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      signal.addEventListener("abort", abort, { once: true });
      const settle = (settled: PromiseOutcome): void => {
        stop();
        resolve(settled);
      };
      Promise.resolve(promise).then(
        (value) => settle({ ok: true, value }),
        (cause: unknown) => settle({ ok: false, cause }),
      );
      if (signal.aborted) abort();
    });
  }
}
