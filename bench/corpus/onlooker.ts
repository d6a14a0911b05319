import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { shareOf } from "../memory.ts";
import { ask } from "./client.ts";

/** What was observed during some work. */
export interface Seen {
  /** Of good requests, in milliseconds, in the order they were sent. */
  readonly waits: readonly number[];
  /** Good requests with another status than 200. */
  readonly lost: number;
  /**
   * Peak memory of all processes of the server in bytes, shared pages counted once; 0 where
   * unknown.
   */
  readonly memory: number;
  /** The work at that moment. */
  readonly doing: string;
}

/** Interval of requests, and of memory samples, in milliseconds. */
const everyMs = 100;

/** What to observe. */
export interface Watched {
  readonly base: URL;
  readonly pid: number;
  /** Of good images. */
  readonly paths: readonly string[];
  /** The current work. */
  readonly doing?: () => string;
}

/** Requests good images continuously, and samples memory, during `work`. */
export const lookOn = async (
  { base, pid, paths, doing = () => "" }: Watched,
  work: () => Promise<void>,
): Promise<Seen> => {
  const waits: number[] = [];
  let lost = 0;
  let memory = 0;
  let at = "";
  let isOver = false;
  const askOn = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const { status, milliseconds } = await ask(base, paths[n % paths.length] ?? "");
      waits.push(milliseconds);
      if (status !== 200) lost++;
      await pause(everyMs);
    }
  };
  const look = async (): Promise<void> => {
    while (!isOver) {
      const now = await shareOf(pid);
      if (now > memory) {
        memory = now;
        at = doing();
      }
      await pause(everyMs);
    }
  };
  const end = async (): Promise<void> => {
    try {
      await work();
    } finally {
      isOver = true;
    }
  };
  await Promise.all([askOn(), look(), end()]);
  return { waits, lost, memory, doing: at };
};

/** The target of the corpus' hostile files: port 9 of this machine. */
const canaryPort = 9;

/**
 * Counts connections that only a hostile file would make; undefined where the port is unavailable.
 */
export const canary = (): Promise<{ readonly calls: () => number; close(): void } | undefined> =>
  new Promise((resolve) => {
    let calls = 0;
    const server: Server = createServer((socket) => {
      calls++;
      socket.destroy();
    });
    server.once("error", () => resolve(undefined));
    server.listen(canaryPort, "127.0.0.1", () =>
      resolve({ calls: () => calls, close: () => server.close() }),
    );
  });
