import { Agent, get } from "node:http";
import { performance } from "node:perf_hooks";

export interface ReplayOptions {
  /** Scheme, host and port; paths of the list are appended. */
  readonly base: URL;
  /** How many ask at the same time, each over its own connection. */
  readonly clients: number;
  /** When to stop asking; what is under way is waited for. */
  readonly seconds: number;
  /** After how many requests to stop at the latest. */
  readonly requests: number;
  /** After how long, in milliseconds, an answer counts as `timeout`. */
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a run of requests came to. */
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

/** Asks for the paths of a list in order, round and round, until time or number is up. */
export const replay = async (
  paths: readonly [string, ...string[]],
  options: ReplayOptions,
): Promise<Replay> => {
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients, scheduling: "fifo" });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let bytes = 0;
  let asked = 0;
  const start = performance.now();
  const end = start + options.seconds * 1000;

  const client = async (): Promise<void> => {
    while (asked < options.requests && performance.now() < end) {
      const path = paths[asked++ % paths.length] ?? paths[0];
      const answer = await ask(path, agent, options);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      bytes += answer.bytes;
      if (answer.milliseconds !== undefined) times.push(answer.milliseconds);
    }
  };

  try {
    await Promise.all(Array.from({ length: options.clients }, client));
  } finally {
    agent.destroy();
  }
  return { times, statuses, bytes, seconds: (performance.now() - start) / 1000 };
};

interface Answer {
  readonly status: string;
  readonly bytes: number;
  /** Absent when no whole answer came. */
  readonly milliseconds?: number;
}

/** One request; it always settles, and never fails. */
const ask = (path: string, agent: Agent, options: ReplayOptions): Promise<Answer> =>
  new Promise((resolve) => {
    const start = performance.now();
    let bytes = 0;
    const { base, headers } = options;
    // The path goes out as it stands: a URL object would tidy it up.
    const request = get({
      host: base.hostname.replace(/^\[|\]$/g, ""),
      port: base.port === "" ? 80 : base.port,
      path: base.pathname.replace(/\/$/, "") + path,
      agent,
      headers,
    });
    const failed = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      resolve({ status: error.code ?? "error", bytes });
    };
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error("timeout"), { code: "timeout" }));
    }, options.timeout);
    request.on("error", failed);
    request.on("response", (response) => {
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", failed);
      response.on("end", () => {
        clearTimeout(timer);
        resolve({
          status: String(response.statusCode),
          bytes,
          milliseconds: performance.now() - start,
        });
      });
    });
  });
