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

/**
 * Lowers the priority of a process that was just started, by a nice value, 0 to 19. The threads that
 * it starts inherit it: loading its modules takes as long as converting a small image.
 */
export const lowerChild = (pid: number | undefined, niceness: number): void => {
  if (pid === undefined || niceness === 0) return;
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, which its exit reports.
  }
};
