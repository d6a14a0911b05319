import { fail } from "../core/errors.ts";
import { loggable } from "./loggable-error.ts";

/**
 * Calls a service. After the signal has aborted, errors become its reason; all others become
 * `upstream`, with what was expected and what came.
 */
export type Ask = <T>(
  deed: string,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Calls one place, such as `S3Cache expected the bucket pictures`. The error is described by its
 * name unless `resolveName` returns a better one.
 */
export const callPlace =
  (place: string, resolveName: (thrown: unknown) => string | undefined = () => undefined): Ask =>
  async (deed, signal, send) => {
    signal.throwIfAborted();
    try {
      return await send(signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = loggable(error);
      const came = resolveName(error) ?? `${cause.name}: ${cause.message}`;
      return fail("upstream", `${place} to ${deed}; got ${came}`, cause);
    }
  };
