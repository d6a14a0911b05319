import { readlink } from "node:fs";
import { setPriority } from "node:os";

/**
 * Lowers the priority of the threads of libuv's pool, of which there are so many, by a nice value
 * of Linux (0 to 19). What such a thread starts later, as libvips does, inherits it. Returns how
 * many threads it found and lowered: 0 where that is not allowed, and elsewhere than on Linux,
 * where threads have no priorities of their own.
 */
export const lowerPool = async (threads: number, niceness: number): Promise<number> => {
  if (process.platform !== "linux") return 0;
  const lowered = new Set<number>();
  // A thread that is quick may read several of the links, and another none.
  for (let round = 0; round < maxRounds && lowered.size < threads; round++) {
    const links = await Promise.all(Array.from({ length: threads * linksPerThread }, ownThread));
    for (const thread of links) {
      if (thread === undefined || lowered.has(thread)) continue;
      try {
        setPriority(thread, niceness);
      } catch {
        // Not allowed here: all threads keep their priority.
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

/** The number of the thread that reads the link; undefined where there is no /proc. */
const ownThread = (): Promise<number | undefined> =>
  new Promise((resolve) =>
    readlink("/proc/thread-self", (error, link) =>
      resolve(error ? undefined : Number(link.slice(link.lastIndexOf("/") + 1))),
    ),
  );
