import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** A control group with a common memory limit for its processes, as for a container. */
export interface MemoryGroup {
  /** A command prefix that makes a command, and everything it starts, run in the group. */
  readonly inside: readonly [string, ...string[]];
  /** Memory that cannot be reclaimed without ending a process, in bytes. */
  held(): Promise<number>;
  /** Peak memory charged to the group, including the page cache, in bytes. */
  peak(): Promise<number>;
  /** How often a process was killed for lack of memory. */
  kills(): Promise<number>;
  /** Removes the group once its processes have ended. */
  remove(): Promise<void>;
}

/** The file names of a version of control groups. */
interface Version {
  readonly root: string;
  readonly limit: string;
  readonly peak: string;
  /** The file that counts kills, and the name of unreclaimable memory in `memory.stat`. */
  readonly events: string;
  readonly held: string;
}

const versions: readonly Version[] = [
  {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
    held: "total_rss",
  },
  {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    peak: "memory.peak",
    events: "memory.events",
    held: "anon",
  },
];

/** The message where no control group can be created. */
export const noGroups =
  "no control group can be made here (it takes root and a writable /sys/fs/cgroup): nothing was tried in little memory";

/** A new group for processes with so many bytes together; undefined where none can be created. */
export const memoryGroup = async (bytes: number): Promise<MemoryGroup | undefined> => {
  for (const version of versions) {
    const folder = `${version.root}/vitrine-${process.pid}-${++last}`;
    try {
      await mkdir(folder);
    } catch {
      continue;
    }
    if (existsSync(`${folder}/${version.limit}`)) {
      await writeFile(`${folder}/${version.limit}`, `${bytes}`);
      return groupIn(folder, version);
    }
    await rmdir(folder);
  }
  return undefined;
};

let last = 0;

const groupIn = (folder: string, version: Version): MemoryGroup => {
  const read = (file: string): Promise<string> =>
    readFile(`${folder}/${file}`, "utf8").catch(() => "");
  const listed = async (file: string, name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\d+)$`, "m").exec(await read(file))?.[1] ?? 0);
  return {
    inside: ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', `${folder}/cgroup.procs`],
    held: () => listed("memory.stat", version.held),
    peak: async () => Number(await read(version.peak)),
    kills: () => listed(version.events, "oom_kill"),
    async remove() {
      // A process that has just ended may remain in it for a moment.
      for (let tries = 0; tries < 50; tries++) {
        try {
          await rmdir(folder);
          return;
        } catch {
          await pause(100);
        }
      }
      throw new Error(`Expected ${folder} to be empty`);
    },
  };
};
