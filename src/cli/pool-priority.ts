import { readlink } from "node:fs";
import { setPriority } from "node:os";

/**
 * Lowers the priority of libuv's pool threads by a nice value of Linux (0 to 19). Threads that they
 * start later, as libvips does, inherit it. Returns how many threads it found and lowered: 0 where
 * that is not allowed, and on systems other than Linux, where threads have no priorities of their
 * own.
 */
export const lowerPool = async (threads: number, niceness: number): Promise<number> => {
  if (process.platform !== "linux") return 0;
  const lowered = new Set<number>();
  // A fast thread may read several of the links, and another none.
  for (let round = 0; round < maxRounds && lowered.size < threads; round++) {
    const links = await Promise.all(Array.from({ length: threads * linksPerThread }, ownThread));
    for (const thread of links) {
      if (thread === undefined || lowered.has(thread)) continue;
      try {
        setPriority(thread, niceness);
      } catch {
        // Not allowed: all threads keep their priority.
        return lowered.size;
      }
      lowered.add(thread);
    }
  }
  return lowered.size;
};

/** Each round takes about a millisecond. */
const maxRounds = 50;
const linksPerThread = 8;

/** The id of the thread that reads the link; undefined where there is no /proc. */
const ownThread = (): Promise<number | undefined> =>
  new Promise((resolve) =>
    readlink("/proc/thread-self", (error, link) =>
      resolve(error ? undefined : Number(link.slice(link.lastIndexOf("/") + 1))),
    ),
  );
