import type { DelegateSession } from "./delegate.ts";
import type { Timings } from "./timings.ts";

/** What is known of one request besides its path. Copied as it grows, never changed. */
export interface RequestContext {
  /** Names the request in answers and in the log. */
  readonly requestId: string;
  readonly identifier: string;
  /** Aborts when the client leaves or the request's deadline passes. */
  readonly signal: AbortSignal;
  /** Takes note of where the request's time goes; absent where nobody asks. */
  readonly timings?: Timings;
  /**
   * What the institution's delegate says about this request; absent where there is no delegate, or
   * no client.
   */
  readonly delegate?: DelegateSession;
}
