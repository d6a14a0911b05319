import { ServerError } from "../../core/errors.ts";

/** A store failed in a way that may, or may not, be better at the next attempt. */
export class StoreFailure extends ServerError {
  /** Whether another attempt may help. */
  readonly retry: boolean;
  /** Milliseconds after which the store wants to be asked again. */
  readonly retryAfterMs?: number;

  /** `detail` is for the log: without credentials, queries and signatures. */
  constructor(
    detail: string,
    {
      retry,
      retryAfterMs,
      cause,
    }: { readonly retry: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super("upstream", "The storage that holds the image did not answer properly.", {
      cause: new Error(detail, cause === undefined ? undefined : { cause }),
    });
    this.name = "StoreFailure";
    this.retry = retry;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** A response that contradicts what was asked for or what is known; asking again would not mend it. */
export const lied = (place: string, detail: string): never => {
  throw new StoreFailure(`${place}: ${detail}`, { retry: false });
};
