import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat, statfs, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { takeLock, type Unlock, usualLockTimes } from "../caches/filesystem-lock.ts";
import { imageHash } from "../core/plan.ts";
import { isRunning } from "../core/running.ts";
import { absent } from "./folder-files.ts";

/** A folder for the temporary files of one job. */
export interface JobFolder {
  readonly path: string;
  /** Removes it with everything in it. */
  remove(): Promise<void>;
}

/** Interval of the heartbeats of a job's folder in milliseconds. */
const beatMs = 10_000;

/** Milliseconds without a heartbeat after which a folder is abandoned. */
const silentMs = 600_000;

/** The same for folders of dead processes of this host. */
const deadMs = 30_000;

/** Folders of jobs: `job-<hash of the host>-<process>-<random>`. */
const names = /^job-([0-9a-f]{12})-(\d+)-[0-9a-f]{16}$/;

/** The folder in which pyramids are made, which several processes and servers may share. */
export class Workshop {
  readonly #root: string;
  readonly #host = imageHash(hostname()).slice(0, 12);

  constructor(root: string) {
    this.#root = root;
  }

  /** Waits for one of the locks that limit concurrent jobs of this host, counted from 0. */
  async takeSlot(slot: number, signal: AbortSignal): Promise<Unlock> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const path = join(this.#root, `slot-${this.#host}-${slot}.lock`);
    const isDone = async (): Promise<boolean> => false;
    return (await takeLock(path, usualLockTimes, { isDone, signal })) ?? (async () => {});
  }

  /** Creates the folder of a job of this process. */
  async open(): Promise<JobFolder> {
    const unique = randomBytes(8).toString("hex");
    const path = join(this.#root, `job-${this.#host}-${process.pid}-${unique}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    // A single missed heartbeat does not matter.
    const beats = setInterval(() => void touch(path).catch(() => undefined), beatMs);
    beats.unref();
    return {
      path,
      remove: async () => {
        clearInterval(beats);
        await rm(path, { recursive: true, force: true });
      },
    };
  }

  /** Free bytes of its file system. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Removes the folders of dead jobs. */
  async clear(signal: AbortSignal): Promise<void> {
    for (const name of (await readdir(this.#root).catch(absent)) ?? []) {
      signal.throwIfAborted();
      const [, host, pid] = names.exec(name) ?? [];
      if (host === undefined) continue;
      const path = join(this.#root, name);
      const found = await stat(path).catch(absent);
      if (found === undefined) continue;
      const isDead = host === this.#host && !isRunning(Number(pid));
      const max = isDead ? deadMs : silentMs;
      if (Date.now() - found.mtimeMs > max) await rm(path, { recursive: true, force: true });
    }
  }
}

const touch = async (path: string): Promise<void> => {
  const now = new Date();
  await utimes(path, now, now);
};
