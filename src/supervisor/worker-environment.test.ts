import { describe, expect, it } from "vitest";
import { workerEnvironment, workerNodeOptions } from "./worker-environment.ts";

const nowhere = () => false;
const heap = { old: 128 * 2 ** 20, young: 24 * 2 ** 20 };

describe("a worker's options", () => {
  it.each([
    [2, 2, "--v8-pool-size=1"],
    [1, 2, "--v8-pool-size=2"],
    [4, 2, "--v8-pool-size=1"],
    [1, 64, "--v8-pool-size=4"],
  ])("%i workers on %i processors: %s", (workers, processors, option) => {
    expect(workerNodeOptions({ workers, processors, heap, given: [] })).toContain(option);
  });

  it("bound its heap, unless the environment does", () => {
    const shared = { workers: 1, processors: 1, heap };
    expect(workerNodeOptions({ ...shared, given: [] })).toEqual([
      "--v8-pool-size=1",
      "--max-old-space-size=128",
      "--max-semi-space-size=8",
      "--heap-growing-percent=100",
    ]);
    const small = { ...heap, old: 127 * 2 ** 20 };
    expect(workerNodeOptions({ ...shared, heap: small, given: [] })).toEqual([
      "--v8-pool-size=1",
      "--max-old-space-size=127",
      "--max-semi-space-size=8",
    ]);
    for (const given of ["--max-old-space-size=2000", "--inspect --max_semi_space_size=32"])
      expect(workerNodeOptions({ ...shared, given: [given] })).toEqual(["--v8-pool-size=1"]);
  });
});

describe("a worker's environment", () => {
  it("has a thread for each concurrent render and some for files", () => {
    expect(workerEnvironment({}, { drawn: 5, allocator: "system", exists: nowhere })).toEqual({
      UV_THREADPOOL_SIZE: "9",
      VIPS_CONCURRENCY: "1",
    });
  });

  it("uses jemalloc if installed, and few arenas otherwise", () => {
    const exists = (path: string) => path === "/usr/lib64/libjemalloc.so.2";
    expect(workerEnvironment({}, { drawn: 1, allocator: "auto", exists })).toMatchObject({
      LD_PRELOAD: "/usr/lib64/libjemalloc.so.2",
    });
    expect(workerEnvironment({}, { drawn: 1, allocator: "auto", exists: nowhere })).toMatchObject({
      MALLOC_ARENA_MAX: "2",
      MALLOC_MMAP_THRESHOLD_: "131072",
      MALLOC_TRIM_THRESHOLD_: "8388608",
    });
    const chosen = { MALLOC_ARENA_MAX: "7" };
    expect(
      workerEnvironment(chosen, { drawn: 1, allocator: "auto", exists: nowhere }),
    ).toMatchObject({ MALLOC_ARENA_MAX: "7", MALLOC_TRIM_THRESHOLD_: "8388608" });
  });

  it("does not override variables that are set", () => {
    const env = {
      UV_THREADPOOL_SIZE: "3",
      VIPS_CONCURRENCY: "2",
      LD_PRELOAD: "/opt/tcmalloc.so",
      MALLOC_ARENA_MAX: "7",
    };
    const made = workerEnvironment(env, { drawn: 9, allocator: "auto", exists: () => true });
    expect({ ...env, ...made }).toEqual(env);
  });
});
