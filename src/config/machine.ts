import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/** What the process may use of the machine it runs on. */
export interface Machine {
  /** Processors, at least 1; a container's quota may leave it a part of one, which counts as one. */
  readonly processors: number;
  /** Bytes. */
  readonly memory: number;
}

/** Gives the text of a system file, or nothing where there is none. */
export type SystemFiles = (path: string) => string | undefined;

/** This machine, or what a container or service manager leaves of it (control groups, both versions). */
export const machine = (read: SystemFiles = systemFile): Machine => {
  const groups = controlGroups(read("/proc/self/cgroup") ?? "");
  const quotas = groups.map((group) => quotaOf(group, read));
  const limits = groups.map((group) => memoryLimitOf(group, read));
  return {
    processors: Math.max(1, Math.floor(least(availableParallelism(), quotas))),
    memory: least(totalmem(), limits),
  };
};

const systemFile: SystemFiles = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not there on other systems, or not for this user: then nothing is limited that way.
    return undefined;
  }
};

const least = (own: number, limits: readonly (number | undefined)[]): number =>
  Math.min(own, ...limits.filter((limit) => limit !== undefined));

/** Where a control group's files are, and which version's files they are. */
interface ControlGroup {
  readonly version: 1 | 2;
  readonly folder: string;
}

const root = "/sys/fs/cgroup";

/** The groups a process is in, and those around them, whose limits hold for it too. */
const controlGroups = (listing: string): readonly ControlGroup[] =>
  listing.split("\n").flatMap((line): readonly ControlGroup[] => {
    const [id, controllers, ...rest] = line.split(":");
    const path = rest.join(":");
    if (id === undefined || controllers === undefined || !path.startsWith("/")) return [];
    if (controllers === "") return upwards(root, path).map((folder) => ({ version: 2, folder }));
    return controllers
      .split(",")
      .filter((name) => name === "memory" || name === "cpu")
      .flatMap((name) =>
        // A container often sees its own group as the root, whatever the listing calls it.
        upwards(`${root}/${name}`, path).map((folder) => ({ version: 1 as const, folder })),
      );
  });

const upwards = (from: string, path: string): string[] => {
  const names = path.split("/").filter((name) => name !== "" && name !== "..");
  return Array.from({ length: names.length + 1 }, (_, n) =>
    [from, ...names.slice(0, names.length - n)].join("/"),
  );
};

const quotaOf = ({ version, folder }: ControlGroup, read: SystemFiles): number | undefined => {
  const [quota, period] =
    version === 2
      ? (read(`${folder}/cpu.max`) ?? "").trim().split(" ")
      : [read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`)];
  const processors = Number(quota) / Number(period);
  return processors > 0 && Number.isFinite(processors) ? processors : undefined;
};

const memoryLimitOf = ({ version, folder }: ControlGroup, read: SystemFiles) => {
  const text = read(`${folder}/${version === 2 ? "memory.max" : "memory.limit_in_bytes"}`);
  const bytes = Number(text?.trim() || "max");
  return bytes > 0 ? bytes : undefined;
};
