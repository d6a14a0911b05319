import { readFile, rm, writeFile } from "node:fs/promises";
import { fail } from "../core/errors.ts";
import { isRunning } from "../core/running.ts";

/** Releases a journal. */
export type UnlockJournal = () => Promise<void>;

/**
 * Keeps other processes on this machine from writing to a journal. A lock whose process no longer
 * exists is taken over. Throws `busy` if another process holds it.
 */
export const lockJournal = async (path: string): Promise<UnlockJournal> => {
  const lock = `${path}.lock`;
  for (let attempt = 0; ; attempt++) {
    try {
      await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rm(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(await readFile(lock, "utf8").catch(() => ""));
    if (attempt > 0 || isRunning(holder))
      return fail(
        "busy",
        `Another vitrine doctor (process ${holder}) uses ${path}. Wait for it, or name another file with --journal. If no such process is running, delete ${lock}.`,
      );
    await rm(lock, { force: true });
  }
};
