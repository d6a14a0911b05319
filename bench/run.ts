import { mkdir, readFile, writeFile } from "node:fs/promises";
import { listenerOf, type Memory, memoryOf } from "./memory.ts";
import { type BenchOptions, benchOptions, usage } from "./options.ts";
import { replay } from "./replay.ts";
import { describeResult, type Result, resultOf } from "./result.ts";

const main = async (args: readonly string[]): Promise<void> => {
  const options = benchOptions(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const result = await measure(await readLists(options.urls), options);
  process.stdout.write(`${describeResult(result)}\n`);
  if (options.json) process.stdout.write(`written to ${await keep(result)}\n`);
};

/** Warms the server up, then measures. */
const measure = async (
  paths: readonly [string, ...string[]],
  options: BenchOptions,
): Promise<Result> => {
  const { base, clients, timeout } = options;
  const headers = options.accept === undefined ? {} : { accept: options.accept };
  const common = { base, clients, timeout, headers };
  if (options.warmup > 0) {
    const { seconds, requests } = { seconds: options.warmup, requests: options.requests };
    const warm = await replay(paths, { ...common, seconds, requests });
    if (warm.times.length === 0)
      throw new Error(`No answer from ${base.origin}: ${Object.keys(warm.statuses).join(", ")}`);
  }
  const pid = options.pid ?? (await listenerOf(Number(base.port || 80)));
  const watched = pid === undefined ? undefined : await watch(pid);
  const requests = options.once ? Math.min(paths.length, options.requests) : options.requests;
  const replayed = await replay(paths, { ...common, seconds: options.seconds, requests });
  const memory = (await watched?.()) ?? [];
  const { name, urls } = options;
  const date = new Date().toISOString();
  return resultOf({ name, date, base: base.href, urls, clients }, replayed, memory);
};

/**
 * Looks at a process's memory now, every quarter of a second, and once more when asked for what was
 * seen.
 */
const watch = async (pid: number): Promise<() => Promise<readonly Memory[]>> => {
  const seen: Memory[] = [];
  const look = async (): Promise<void> => {
    const memory = await memoryOf(pid);
    if (memory !== undefined) seen.push(memory);
  };
  await look();
  const timer = setInterval(() => {
    look().catch(() => clearInterval(timer));
  }, 250);
  return async () => {
    clearInterval(timer);
    await look();
    return seen;
  };
};

const readLists = async (files: readonly string[]): Promise<[string, ...string[]]> => {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const paths = texts.flatMap((text) =>
    text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#")),
  );
  const wrong = paths.find((path) => !path.startsWith("/"));
  if (wrong !== undefined) throw new Error(`Expected lines that begin with "/", got "${wrong}"`);
  const [first, ...rest] = paths;
  if (first === undefined) throw new Error(`Expected at least one path in ${files.join(", ")}`);
  return [first, ...rest];
};

const keep = async (result: Result): Promise<string> => {
  const file = `bench/results/${result.date.replace(/[:.]/g, "-")}-${result.name}.json`;
  await mkdir("bench/results", { recursive: true });
  await writeFile(file, `${JSON.stringify(result, undefined, 2)}\n`);
  return file;
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
