import { availableParallelism, totalmem } from "node:os";
import { describe, expect, it } from "vitest";
import { machine } from "./machine.ts";

const given = (files: Readonly<Record<string, string>>) => (path: string) => files[path];
const mega = 2 ** 20;

describe("the machine's size", () => {
  it("is the system's without control groups", () => {
    expect(machine(given({}))).toEqual({
      processors: availableParallelism(),
      memory: totalmem(),
      isLimited: false,
    });
  });

  it("is at most that of a container's cgroup v2, which appears as the root", () => {
    const files = {
      "/proc/self/cgroup": "0::/\n",
      "/sys/fs/cgroup/memory.max": `${64 * mega}\n`,
      "/sys/fs/cgroup/cpu.max": "50000 100000\n",
    };
    expect(machine(given(files))).toEqual({
      processors: 1,
      memory: 64 * mega,
      isLimited: true,
    });
  });

  it("is at most that of any enclosing group", () => {
    const files = {
      "/proc/self/cgroup": "0::/system.slice/vitrine.service\n",
      "/sys/fs/cgroup/system.slice/vitrine.service/memory.max": "max\n",
      "/sys/fs/cgroup/system.slice/memory.max": `${32 * mega}\n`,
      "/sys/fs/cgroup/system.slice/vitrine.service/cpu.max": "max 100000\n",
    };
    expect(machine(given(files))).toEqual({
      processors: availableParallelism(),
      memory: 32 * mega,
      isLimited: true,
    });
  });

  it("follows cgroup v1, where no limit is a number beyond all memory or below none", () => {
    const files = {
      "/proc/self/cgroup": "4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n0::/\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": `${16 * mega}\n`,
      "/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes": "9223372036854771712\n",
      "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
      "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    };
    expect(machine(given(files))).toEqual({
      processors: availableParallelism(),
      memory: 16 * mega,
      isLimited: true,
    });
  });

  it("includes memory.high, and enclosing limits that a container cannot see", () => {
    const high = {
      "/proc/self/cgroup": "0::/\n",
      "/sys/fs/cgroup/memory.max": `${64 * mega}\n`,
      "/sys/fs/cgroup/memory.high": `${48 * mega}\n`,
    };
    expect(machine(given(high)).memory).toBe(48 * mega);
    const unseen = {
      "/proc/self/cgroup": "4:memory:/\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "/sys/fs/cgroup/memory/memory.stat": `cache 1\nhierarchical_memory_limit ${24 * mega}\n`,
    };
    expect(machine(given(unseen)).memory).toBe(24 * mega);
  });
});
