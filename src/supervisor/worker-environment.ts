import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { Environment } from "../config/environment.ts";
import type { Budget } from "../core/budget.ts";

/** What the variables of a worker depend on. */
export interface WorkerNeeds {
  /** Images drawn at the same time in one worker, small and large. */
  readonly drawn: number;
  readonly allocator: "auto" | "system";
  /** Whether a file exists; the file system unless said otherwise. */
  readonly exists?: (path: string) => boolean;
}

/**
 * The variables a worker is started with, beside those of the supervisor: they have to be there
 * before the process begins. What someone has set already is left as it is.
 */
export const workerEnvironment = (
  env: Environment,
  { drawn, allocator, exists = existsSync }: WorkerNeeds,
): Environment => ({
  // Each image that is drawn holds a thread; files are read by those that remain.
  UV_THREADPOOL_SIZE: env["UV_THREADPOOL_SIZE"] ?? String(Math.min(drawn + forFiles, maxThreads)),
  // Images are drawn side by side, so one alone needs no threads of its own.
  VIPS_CONCURRENCY: env["VIPS_CONCURRENCY"] ?? "1",
  ...(allocator === "auto" && env["LD_PRELOAD"] === undefined ? allocatorOf(env, exists) : {}),
});

/** The variable that tells a worker how many bytes of memory the whole server has. */
export const memoryVariable = "VITRINE_MEMORY";

/**
 * The options of Node.js a worker is started with. By itself each has four threads that collect
 * garbage and compile, as important as the one that answers: where there are as many workers as
 * processors, they are in its way just when there is most to do.
 */
export const workerNodeOptions = ({
  workers,
  processors,
  heap,
  given,
}: {
  readonly workers: number;
  readonly processors: number;
  /** What values of JavaScript may take, in bytes. */
  readonly heap: Budget["heap"];
  /** Options that the worker has in any case: what they say of its heap is left alone. */
  readonly given: readonly string[];
}): readonly string[] => {
  const threads = Math.min(v8Threads, Math.max(1, Math.floor(processors / workers)));
  const isGiven = given.some((option) => /--max[-_](old|semi)[-_]space[-_]size/.test(option));
  return [`--v8-pool-size=${threads}`, ...(isGiven ? [] : heapOptions(heap))];
};

const heapOptions = ({ old, young }: Budget["heap"]): readonly string[] => [
  `--max-old-space-size=${Math.floor(old / 2 ** 20)}`,
  // New values have three such spaces.
  `--max-semi-space-size=${Math.max(1, Math.floor(young / 2 ** 20 / 3))}`,
];

/**
 * Lets the threads of this process, which has its own heap already, have heaps of the sizes they
 * are started with: the options of a process count for more than those.
 */
export const freeThreads = (): void => {
  setFlagsFromString("--max-old-space-size=0");
  setFlagsFromString("--max-semi-space-size=0");
};

/** How many threads of its own V8 has by itself. */
const v8Threads = 4;

const forFiles = 4;

/** More than libuv takes. */
const maxThreads = 1_024;

const allocatorOf = (env: Environment, exists: (path: string) => boolean): Environment => {
  const jemalloc = libraries.find(exists);
  if (jemalloc !== undefined) return { LD_PRELOAD: jemalloc };
  return Object.fromEntries(
    Object.entries(glibcSettings).map(([name, value]) => [name, env[name] ?? value]),
  );
};

/**
 * glibc has many arenas by default, and each keeps what large images once needed; and once a
 * large piece was given back, it takes pieces of that size from there too, between which little is
 * ever free.
 */
const glibcSettings = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** Where distributions put jemalloc. */
const libraries: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
  "/usr/lib/aarch64-linux-gnu/libjemalloc.so.2",
  "/usr/lib64/libjemalloc.so.2",
  "/usr/lib/libjemalloc.so.2",
  "/usr/local/lib/libjemalloc.so.2",
];
