import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { Environment } from "../config/environment.ts";
import type { Budget } from "../core/budget.ts";

/** The inputs of a worker's environment. */
export interface WorkerNeeds {
  /** Maximum number of concurrent renders in one worker, small and large. */
  readonly drawn: number;
  readonly allocator: "auto" | "system";
  /** Whether a file exists; by the file system unless given. */
  readonly exists?: (path: string) => boolean;
}

/**
 * The environment variables of a worker besides the supervisor's: they have to be set before the
 * process begins. Variables that are set already are kept.
 */
export const workerEnvironment = (
  env: Environment,
  { drawn, allocator, exists = existsSync }: WorkerNeeds,
): Environment => ({
  // Each render occupies a thread; files are read by the remaining ones.
  UV_THREADPOOL_SIZE: env["UV_THREADPOOL_SIZE"] ?? String(Math.min(drawn + forFiles, maxThreads)),
  // Images are rendered concurrently, so a single render needs no threads of its own.
  VIPS_CONCURRENCY: env["VIPS_CONCURRENCY"] ?? "1",
  ...(allocator === "auto" && env["LD_PRELOAD"] === undefined ? allocatorOf(env, exists) : {}),
});

/** The variable with the bytes of memory of the whole server. */
export const memoryVariable = "VITRINE_MEMORY";

/**
 * The Node.js options of a worker. By default each has four threads for garbage collection and
 * compilation, at the same priority as the event loop: with as many workers as processors, they get
 * in its way under load.
 */
export const workerNodeOptions = ({
  workers,
  processors,
  heap,
  given,
}: {
  readonly workers: number;
  readonly processors: number;
  /** Size of the JavaScript heap in bytes. */
  readonly heap: Budget["heap"];
  /** Options that the worker has anyway: their heap sizes take precedence. */
  readonly given: readonly string[];
}): readonly string[] => {
  const threads = Math.min(v8Threads, Math.max(1, Math.floor(processors / workers)));
  const isGiven = given.some((option) => /--max[-_](old|semi)[-_]space[-_]size/.test(option));
  return [`--v8-pool-size=${threads}`, ...(isGiven ? [] : heapOptions(heap))];
};

const heapOptions = ({ old, young }: Budget["heap"]): readonly string[] => [
  `--max-old-space-size=${Math.floor(old / 2 ** 20)}`,
  // The young generation has three such spaces.
  `--max-semi-space-size=${Math.max(1, Math.floor(young / 2 ** 20 / 3))}`,
  ...(old < largeHeap ? [] : [`--heap-growing-percent=${heapGrowth}`]),
];

/**
 * How much the heap, with the buffers outside it, may grow before V8 collects all garbage, in
 * percent of what is in use. By default, V8 derives this from how fast objects are allocated, which
 * does not include buffers: a worker that sends large tiles would collect all garbage for every 10
 * MB of them.
 */
const heapGrowth = 100;

/** In bytes. Smaller heaps belong to small servers, which need the memory more than the time. */
const largeHeap = 128 * 2 ** 20;

/**
 * Lets the threads of this process, which has its own heap already, have heaps of the sizes they
 * are started with: a process's options would override those.
 */
export const freeThreads = (): void => {
  setFlagsFromString("--max-old-space-size=0");
  setFlagsFromString("--max-semi-space-size=0");
};

/** V8's default number of threads. */
const v8Threads = 4;

const forFiles = 4;

/** More than libuv allows. */
const maxThreads = 1_024;

const allocatorOf = (env: Environment, exists: (path: string) => boolean): Environment => {
  const jemalloc = libraries.find(exists);
  if (jemalloc !== undefined) return { LD_PRELOAD: jemalloc };
  return Object.fromEntries(
    Object.entries(glibcSettings).map(([name, value]) => [name, env[name] ?? value]),
  );
};

/**
 * glibc has many arenas by default, each of which keeps the memory of past large images; and after
 * a large block was freed, it allocates blocks of that size there too, which fragments it. Free
 * memory at the end of an arena stays up to 8 MB: returned any earlier, it has to be mapped again
 * for the next tile, which costs a third of a stored tile's processor time.
 */
const glibcSettings = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "8388608",
};

/** Paths where distributions install jemalloc. */
const libraries: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
  "/usr/lib/aarch64-linux-gnu/libjemalloc.so.2",
  "/usr/lib64/libjemalloc.so.2",
  "/usr/lib/libjemalloc.so.2",
  "/usr/local/lib/libjemalloc.so.2",
];
