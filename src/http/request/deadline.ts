import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { ServerError } from "../../core/errors.ts";
import type { Shutdown } from "../connection/shutdown.ts";

/** Ends a request early, and races its work against that end. */
export interface Deadline {
  /** Aborts with a `late` or an `aborted` error as its reason. */
  readonly signal: AbortSignal;
  /** The reason once the signal has aborted; does not create the signal. */
  readonly reason: ServerError | undefined;
  /** The work's result, or the reason as soon as the signal aborts, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T>;
}

/**
 * Starts a deadline that ends with the response, or earlier when the client disconnects or the
 * server shuts down.
 */
export const startDeadline = (
  response: ServerResponse,
  seconds: number,
  { ending }: { readonly ending?: Shutdown | undefined } = {},
): Deadline => {
  const over = new Over();
  const timer = setTimeout(() => {
    over.come(new ServerError("late", `The request took longer than ${seconds} s and was aborted`));
  }, seconds * 1000);
  const stay = ending?.tell({
    isLast: () => {
      response.shouldKeepAlive = false;
    },
    giveUp: (reason) => over.come(reason),
  });
  let whole = false;
  response.once("finish", () => {
    whole = true;
  });
  response.once("close", () => {
    clearTimeout(timer);
    stay?.();
    if (!whole)
      over.come(new ServerError("aborted", "The client disconnected before the response"));
  });
  return over;
};

/**
 * The early end of a request. Nearly all requests end well within a millisecond, so the signal is
 * created on first use, and races do without it.
 */
class Over implements Deadline {
  readonly #racing = new Set<(reason: ServerError) => void>();
  #controller: AbortController | undefined;
  #reason: ServerError | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every read and job of the request listens, and their number has no limit.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get reason(): ServerError | undefined {
    return this.#reason;
  }

  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason);
      else this.#racing.add(reject);
      work.then(
        (result) => {
          this.#racing.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          this.#racing.delete(reject);
          reject(this.#reason ?? error);
        },
      );
    });
  }

  come(reason: ServerError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const reject of this.#racing) reject(reason);
    this.#racing.clear();
  }
}
