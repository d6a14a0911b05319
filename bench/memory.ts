import { readdir, readFile, readlink } from "node:fs/promises";

/** Resident memory of a process and everything it started. */
export interface Memory {
  /** In bytes; pages that processes share are counted once for each. */
  readonly resident: number;
  readonly processes: number;
}

/**
 * Resident memory of a process and its descendants; undefined when it is gone or the system has no
 * /proc.
 */
export const memoryOf = async (pid: number): Promise<Memory | undefined> => {
  const family = await familyOf(pid);
  const sizes = await Promise.all(family.map(residentOf));
  const alive = sizes.filter((size) => size !== undefined);
  if (alive.length === 0) return undefined;
  return { resident: alive.reduce((sum, size) => sum + size, 0), processes: alive.length };
};

/**
 * The process that listens on a TCP port of this machine, the oldest where several share it;
 * undefined when there is none, it is someone else's, or the system has no /proc.
 */
export const listenerOf = async (port: number): Promise<number | undefined> => {
  const sockets = await listeningSockets(port);
  if (sockets.size === 0) return undefined;
  const holders: number[] = [];
  for (const pid of await allProcesses()) if (await holdsOne(pid, sockets)) holders.push(pid);
  const parents = await parentsOf(holders);
  // A worker's parent listens too, or holds the socket for it: the one whose parent does not is
  // meant.
  return holders.find((pid) => !holders.includes(parents.get(pid) ?? 0));
};

/**
 * Memory of a process and its descendants in bytes, with shared pages counted once; 0 when it is
 * gone or the system does not report it.
 */
export const shareOf = async (pid: number): Promise<number> => {
  const shares = await Promise.all(
    (await familyOf(pid)).map(async (one) => {
      const kilobytes = /^Pss:\s+(\d+) kB/m.exec(await text(`/proc/${one}/smaps_rollup`))?.[1];
      return Number(kilobytes ?? 0) * 1024;
    }),
  );
  return shares.reduce((sum, share) => sum + share, 0);
};

const residentOf = async (pid: number): Promise<number | undefined> => {
  const status = await text(`/proc/${pid}/status`);
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
};

/** A process and its descendants. */
export const familyOf = async (pid: number): Promise<number[]> => {
  const parents = await parentsOf(await allProcesses());
  const family = new Set([pid]);
  for (let grown = 0; grown < family.size; ) {
    grown = family.size;
    for (const [child, parent] of parents) if (family.has(parent)) family.add(child);
  }
  return [...family];
};

/** The existing processes that a process has started itself. */
export const childrenOf = async (pid: number): Promise<number[]> => {
  const parents = await parentsOf(await allProcesses());
  return [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
};

const parentsOf = async (pids: readonly number[]): Promise<Map<number, number>> => {
  const pairs = await Promise.all(
    pids.map(async (pid) => {
      // The command stands in brackets and may hold anything, spaces and brackets included.
      const stat = await text(`/proc/${pid}/stat`);
      const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
      return [pid, Number(parent ?? 0)] as const;
    }),
  );
  return new Map(pairs);
};

const allProcesses = async (): Promise<number[]> => {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
};

const listening = "0A";

const listeningSockets = async (port: number): Promise<Set<string>> => {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const line of (await text(table)).split("\n").slice(1)) {
      const columns = line.trim().split(/\s+/);
      if (columns[1]?.endsWith(`:${wanted}`) && columns[3] === listening)
        sockets.add(`socket:[${columns[9]}]`);
    }
  return sockets;
};

const holdsOne = async (pid: number, sockets: ReadonlySet<string>): Promise<boolean> => {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
    if (sockets.has(target)) return true;
  }
  return false;
};

/** Processes may vanish while being read: unreadable ones are empty. */
const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
