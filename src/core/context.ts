import type { DelegateSession } from "./delegate.ts";
import type { Timings } from "./timings.ts";

/** The facts about one request besides its path. Copied when extended, never changed. */
export interface RequestContext {
  /** Identifies the request in responses and in the log. */
  readonly requestId: string;
  readonly identifier: string;
  /** Aborts when the client disconnects or the request's deadline passes. */
  readonly signal: AbortSignal;
  /** Collects the request's timings; absent where nobody needs them. */
  readonly timings?: Timings;
  /** The delegate session of this request; absent without a delegate or a client. */
  readonly delegate?: DelegateSession;
}
