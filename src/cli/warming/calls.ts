import { masked } from "../../config/masked.ts";
import { Unreachable } from "./target.ts";

/** A call of a server. */
export interface TargetCall {
  /** The server's, for messages. */
  readonly name: string;
  /** Time limit in milliseconds. */
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls a server with a deadline. Errors become `Unreachable`, and the signal's reason after it has
 * aborted; `isOther` errors are passed on.
 */
export const callTarget = async <T>(
  { name, maxMs, signal }: TargetCall,
  send: (signal: AbortSignal) => Promise<T>,
  isOther: (error: unknown) => boolean = () => false,
): Promise<T> => {
  signal.throwIfAborted();
  // A controller per call: with millions of calls, signals of AbortSignal.any and timeout would
  // accumulate until the run ends.
  const call = new AbortController();
  const abort = (): void => call.abort(signal.reason);
  const timer = setTimeout(
    () => call.abort(new Error(`no complete response within ${maxMs / 1_000} s`)),
    maxMs,
  );
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await send(call.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isOther(error)) throw error;
    throw new Unreachable(`${name} did not answer: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return masked(String(error));
  const { code } = error as Error & { readonly code?: unknown };
  return masked(error.message) || String(code ?? error.name);
};
