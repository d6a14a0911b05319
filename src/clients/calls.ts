import { fail } from "../core/errors.ts";
import { loggable } from "./loggable-error.ts";

/**
 * Does what is asked of a service. What fails once the signal has aborted fails with its reason,
 * all else as `upstream`, with what was expected and what came.
 */
export type Ask = <T>(
  deed: string,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Asks of one place, such as `S3Cache expected the bucket pictures`. What came is told by the name
 * of a failure unless `resolveName` knows a better one.
 */
export const asking =
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
