import { performance } from "node:perf_hooks";
import { Connection } from "./connection.ts";

export interface ReplayOptions {
  /** Scheme, host and port; paths of the list are appended. */
  readonly base: URL;
  /** Number of concurrent clients, each over its own connection. */
  readonly clients: number;
  /** When to stop sending requests; those in flight are waited for. */
  readonly seconds: number;
  /** Maximum number of requests. */
  readonly requests: number;
  /** Milliseconds after which a response counts as `timeout`. */
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of a run of requests. */
export interface Replay {
  /** Milliseconds of each finished request, in no order. */
  readonly times: readonly number[];
  /** How often each status came; connections that failed count under their error's code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of the bodies. */
  readonly bytes: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** Requests the paths of a list in order, repeatedly, until time or number is up. */
export const replay = async (
  paths: readonly [string, ...string[]],
  options: ReplayOptions,
): Promise<Replay> => {
  const connections = Array.from({ length: options.clients }, () => new Connection(options));
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let bytes = 0;
  let asked = 0;
  const start = performance.now();
  const end = start + options.seconds * 1000;

  const client = async (connection: Connection): Promise<void> => {
    while (asked < options.requests && performance.now() < end) {
      const path = paths[asked++ % paths.length] ?? paths[0];
      const answer = await connection.ask(path);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      bytes += answer.bytes;
      if (answer.milliseconds !== undefined) times.push(answer.milliseconds);
    }
  };

  try {
    await Promise.all(connections.map(client));
  } finally {
    for (const connection of connections) connection.close();
  }
  return { times, statuses, bytes, seconds: (performance.now() - start) / 1000 };
};
