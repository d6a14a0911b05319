import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { shareOf } from "../memory.ts";
import { ask } from "./client.ts";

/** What was seen while something went on. */
export interface Seen {
  /** Of good requests, in milliseconds, in the order they were sent. */
  readonly waits: readonly number[];
  /** Good requests that had another answer than 200. */
  readonly lost: number;
  /**
   * The most memory of all processes of the server, in bytes, what they share counted once; 0 where
   * the system does not tell.
   */
  readonly memory: number;
  /** What went on when it was that much. */
  readonly doing: string;
}

/** Between two requests, and between two looks at memory, in milliseconds. */
const everyMs = 100;

/** What is looked at. */
export interface Watched {
  readonly base: URL;
  readonly pid: number;
  /** Of good images. */
  readonly paths: readonly string[];
  /** What goes on at the moment. */
  readonly doing?: () => string;
}

/** Asks for good images all along, and looks at memory, while `work` goes on. */
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

/** What the hostile files of the corpus would call: port 9 of this machine. */
const canaryPort = 9;

/** Counts who calls where only a hostile file would; undefined where the port cannot be had. */
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
