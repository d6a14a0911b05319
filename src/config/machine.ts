import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/** The resources that the process may use of its machine. */
export interface Machine {
  /** Processors, at least 1; a container's quota of less counts as one. */
  readonly processors: number;
  /** Bytes. */
  readonly memory: number;
  /**
   * Whether a control group allows less memory than the machine has, so that exceeding it kills
   * processes.
   */
  readonly isLimited: boolean;
}

/** Reads a system file; undefined where there is none. */
export type SystemFiles = (path: string) => string | undefined;

/**
 * This machine, or the part that a container or service manager allows (control groups, both
 * versions).
 */
export const machine = (read: SystemFiles = systemFile): Machine => {
  const groups = controlGroups(read("/proc/self/cgroup") ?? "");
  const quotas = groups.map((group) => quotaOf(group, read));
  const limits = groups.flatMap((group) => memoryLimitsOf(group, read));
  const all = totalmem();
  const memory = min(all, limits);
  return {
    processors: Math.max(1, Math.floor(min(availableParallelism(), quotas))),
    memory,
    isLimited: memory < all,
  };
};

const systemFile: SystemFiles = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Missing on other systems, or not readable for this user: no limit then.
    return undefined;
  }
};

const min = (own: number, limits: readonly (number | undefined)[]): number =>
  Math.min(own, ...limits.filter((limit) => limit !== undefined));

/** The folder of a control group's files, and their version. */
interface ControlGroup {
  readonly version: 1 | 2;
  readonly folder: string;
}

const root = "/sys/fs/cgroup";

/** The groups of a process, and their parents, whose limits apply too. */
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

const memoryLimitsOf = ({ version, folder }: ControlGroup, read: SystemFiles): readonly number[] =>
  (version === 2
    ? // Above `high`, processes are throttled until they stall.
      [read(`${folder}/memory.max`), read(`${folder}/memory.high`)]
    : [read(`${folder}/memory.limit_in_bytes`), hierarchical(read(`${folder}/memory.stat`))]
  )
    .map((text) => Number(text?.trim() || "max"))
    .filter((bytes) => bytes > 0);

/** Limits of surrounding groups, which a container may not see. */
const hierarchical = (stat: string | undefined): string | undefined =>
  /^hierarchical_memory_limit (\d+)$/m.exec(stat ?? "")?.[1];
