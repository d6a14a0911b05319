import { ServerError } from "../../core/errors.ts";

/**
 * A signal that aborts when another one does, or when a time set by `arm` has passed. `end` must be
 * called when the work is over.
 */
export class RemoteDeadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #leave: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    this.#leave = () => this.abort(outer.reason);
    if (outer.aborted) this.#leave();
    else outer.addEventListener("abort", this.#leave, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Aborts as `late` after so many milliseconds, unless armed again before; `cause` is for the log.
   */
  arm(ms: number, cause: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () =>
        this.abort(
          new ServerError("late", "The storage of the image did not respond in time.", {
            cause: new Error(cause),
          }),
        ),
      ms,
    );
  }

  /** Restarts the time that was set last. */
  refresh(): void {
    this.#timer?.refresh();
  }

  abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#leave);
  }
}
