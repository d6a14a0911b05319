import type { Connections } from "./connections.ts";
import type { HttpServer } from "./http-server.ts";
import type { Shutdown } from "./shutdown.ts";

/** How a server is drained. */
export interface Draining {
  readonly ending: Shutdown;
  /** The connections of servers that do not listen themselves. */
  readonly connections?: Pick<Connections, "ended">;
  /** Seconds that requests in flight have to finish. */
  readonly seconds: number;
}

/**
 * Stops listening and resolves when the last connection is closed: requests in flight get the given
 * time to finish, idle connections are closed, and new requests on others are refused.
 */
export const drain = async (
  servers: readonly HttpServer[],
  { ending, connections, seconds }: Draining,
): Promise<void> => {
  ending.begin();
  const closed = Promise.all([...servers.map((server) => server.close()), connections?.ended()]);
  // A connection whose request ends from now on would otherwise wait for another one.
  const sweeping = setInterval(() => {
    for (const { server } of servers) server.closeIdleConnections();
  }, sweepMs);
  const givingUp = setTimeout(() => ending.giveUp(), seconds * 1000);
  const cutting = setTimeout(
    () => {
      for (const { server } of servers) server.closeAllConnections();
    },
    seconds * 1000 + lastWordsMs,
  );
  try {
    await closed;
  } finally {
    clearInterval(sweeping);
    clearTimeout(givingUp);
    clearTimeout(cutting);
  }
};

const sweepMs = 50;

/** Milliseconds that error responses to aborted requests have to be sent. */
const lastWordsMs = 1_000;
