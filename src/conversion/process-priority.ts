import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Lowers the priority of this process and all its threads by a nice value, 0 to 19. On Linux each
 * thread has its own nice value. Later threads inherit it, but existing ones, such as the thread
 * pool of libvips, would keep theirs.
 */
export const lowerProcess = (niceness: number): void => {
  setPriority(niceness);
  if (process.platform !== "linux") return;
  for (const thread of readdirSync("/proc/self/task"))
    try {
      setPriority(Number(thread), niceness);
    } catch {
      // The thread has ended.
    }
};
