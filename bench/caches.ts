import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { noRedis, redisPassword, startRedis } from "../test/servers/redis.ts";
import { type FileServer, startNginx, startPlain, writeFiles } from "./file-servers.ts";
import { imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { drawPyramid } from "./own-pictures.ts";
import { startOwn } from "./own-server.ts";
import { processorTimeOf } from "./processor-time.ts";
import { replay } from "./replay.ts";
import { latency } from "./statistics.ts";

const usage = `Says how fast a built server answers from its caches, beside servers of plain files.

  npm run bench:caches -- [options]

  --main FILE       the built server              (dist/cli/main.js)
  --targets LIST    which of ${"node,nginx,memory,filesystem,filesystem+front,redis"} (all)
  --seconds N       how long each is asked each time (5)
  --rounds N        how often, in turns           (3)
  --clients N       how many ask at the same time (8)
  --tiles N         how many tiles there are      (64)
  --workers N       workers of the server         (1, as the others have one process)

The same tiles, of some 15 kB, are drawn once and kept: in memory, in the file system without and
with memory in front of it, and in a Redis of its own. A server of node:http that does nothing but
send the same bytes from memory, and nginx, which sends them as files, are asked in the same run. It
is checked beforehand that the server does not draw any more. What cannot be started is left out, and
said.
`;

const targetNames = ["node", "nginx", "memory", "filesystem", "filesystem+front", "redis"] as const;
type TargetName = (typeof targetNames)[number];

interface Options {
  readonly main: string;
  readonly targets: readonly TargetName[];
  readonly seconds: number;
  readonly rounds: number;
  readonly clients: number;
  readonly tiles: number;
  readonly workers: number;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      targets: { type: "string", default: targetNames.join(",") },
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      clients: { type: "string", default: "8" },
      tiles: { type: "string", default: "64" },
      workers: { type: "string", default: "1" },
    },
  });
  if (values.help) return undefined;
  return {
    main: values.main,
    targets: values.targets.split(",").map(targetOf),
    seconds: whole("seconds", values.seconds, 600),
    rounds: whole("rounds", values.rounds, 100),
    clients: whole("clients", values.clients, 256),
    tiles: whole("tiles", values.tiles, 500),
    workers: whole("workers", values.workers, 64),
  };
};

const targetOf = (given: string): TargetName => {
  const name = targetNames.find((one) => one === given);
  if (name === undefined)
    throw new Error(`Expected ${targetNames.join(", ")} for --targets, got "${given}"`);
  return name;
};

const whole = (name: string, given: string, max: number): number => {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1 || value > max)
    throw new Error(`Expected a whole number from 1 to ${max} for --${name}, got "${given}"`);
  return value;
};

type Paths = readonly [string, ...string[]];

/** A target of requests, and how to end it. */
interface Target extends FileServer {
  readonly name: TargetName;
}

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-caches-"));
  const targets: Target[] = [];
  try {
    const picture = await drawPyramid(folder, { ...drawn, compression: "deflate" });
    const bodies = await drawTiles(picture, options);
    const [first, ...rest] = bodies.keys();
    if (first === undefined) throw new Error("Expected a picture that has tiles");
    const paths: Paths = [first, ...rest];
    const files = join(folder, "files");
    await writeFiles(files, bodies);
    for (const name of options.targets) {
      const target = await starters[name]({ folder, picture, files, options, paths }).catch(
        (error: unknown) => say(`${name} is left out: ${messageOf(error)}`),
      );
      if (target) targets.push({ name, ...target });
    }
    const size = [...bodies.values()].reduce((sum, { length }) => sum + length, 0) / bodies.size;
    say(`${bodies.size} tiles of ${(size / 1000).toFixed(1)} kB on average`);
    report(targets, await measure(targets, paths, options));
  } finally {
    for (const target of targets) await target.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const drawn = { width: 8_000, height: 6_000 } as const;
const pictureName = "tiles.tif";
/** With tiles of 256 pixels, that makes about 15 kB of each rendered tile. */
const quality = 80;
const timeoutMs = 30_000;

const settingsOf = ({ workers }: Options): Readonly<Record<string, string | number | boolean>> => ({
  "http.workers": workers,
  "endpoint.iiif.min_tile_size": 256,
  "processor.jpg.quality": quality,
  // Distinguishes a hit from a render.
  "http.server_timing": "all",
  "log.application.level": "warn",
});

/** Has the tiles rendered that all targets will send, by their paths. */
const drawTiles = async (
  picture: string,
  options: Options,
): Promise<ReadonlyMap<string, Uint8Array>> => {
  const server = await startOwn({
    main: options.main,
    pictures: { [pictureName]: picture },
    settings: settingsOf(options),
  });
  try {
    const image = await imageOf(server.base, pictureName);
    const paths = lists.tiles([image], { count: options.tiles, seed: 1 });
    const bodies = new Map<string, Uint8Array>();
    for (const path of paths) bodies.set(path, (await fetched(server.base, path)).body);
    return bodies;
  } finally {
    await server.remove();
  }
};

interface Setting {
  readonly folder: string;
  readonly picture: string;
  readonly files: string;
  readonly options: Options;
  readonly paths: Paths;
}

type Starter = (setting: Setting) => Promise<FileServer>;

const starters: Readonly<Record<TargetName, Starter>> = {
  node: ({ files }) => startPlain(files),
  nginx: async ({ folder, files }) => {
    const work = join(folder, "nginx");
    await mkdir(work);
    return startNginx(files, work);
  },
  memory: (setting) => startCached(setting, { "cache.server.derivative": "HeapCache" }),
  filesystem: (setting) => startOnFiles(setting, { front: 0 }),
  "filesystem+front": (setting) => startOnFiles(setting, { front: 0.125 }),
  redis: async (setting) => {
    if (noRedis !== undefined) throw new Error(noRedis);
    const redis = await startRedis();
    try {
      const server = await startCached(setting, {
        "cache.server.derivative": "RedisCache",
        "RedisCache.host": "127.0.0.1",
        "RedisCache.port": redis.port,
        "RedisCache.password": redisPassword,
        "HeapCache.front_share": 0,
      });
      const stop = async (): Promise<void> => {
        await server.stop();
        await redis.remove();
      };
      return { ...server, stop };
    } catch (error) {
      await redis.remove();
      throw error;
    }
  },
};

const startOnFiles = (
  setting: Setting,
  { front }: { readonly front: number },
): Promise<FileServer> =>
  startCached(setting, {
    "cache.server.derivative": "FilesystemCache",
    "FilesystemCache.pathname": join(setting.folder, `cache-${front}`),
    "HeapCache.front_share": front,
  });

/** The server with its tiles in a cache; they are requested until none is rendered any more. */
const startCached = async (
  { picture, options, paths }: Setting,
  settings: Readonly<Record<string, string | number>>,
): Promise<FileServer> => {
  const server = await startOwn({
    main: options.main,
    pictures: { [pictureName]: picture },
    settings: {
      ...settingsOf(options),
      "cache.server.derivative.enabled": true,
      // Stored tiles of a local file are sent from there, and would not be cached.
      "processor.stored_tiles": false,
      ...settings,
    },
  });
  const end = performance.now() + timeoutMs;
  for (let missing = paths.length; missing > 0; ) {
    missing = 0;
    for (const path of paths)
      if (/\b(draw|stored)\b/.test((await fetched(server.base, path)).timing)) missing++;
    if (missing > 0 && performance.now() > end) {
      await server.remove();
      throw new Error(`${missing} of ${paths.length} tiles were still drawn after a while`);
    }
    // Rendered tiles are written in the background.
    if (missing > 0) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { base: server.base, pid: server.pid, stop: server.remove };
};

const fetched = async (
  base: URL,
  path: string,
): Promise<{ readonly body: Uint8Array; readonly timing: string }> => {
  const response = await fetch(`${base.origin}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(`Expected ${path}, got status ${response.status}`);
  return { body, timing: response.headers.get("server-timing") ?? "" };
};

/** One run against a target. */
interface Run {
  readonly perSecond: number;
  /** Microseconds of the server's processor time per response. */
  readonly processor: number;
  readonly p99: number;
}

/** Runs of each target, in rounds: all take turns, so that disturbances hit all. */
const measure = async (
  targets: readonly Target[],
  paths: Paths,
  { rounds, seconds, clients }: Options,
): Promise<ReadonlyMap<TargetName, readonly Run[]>> => {
  const runs = new Map<TargetName, Run[]>(targets.map(({ name }) => [name, []]));
  const ask = (base: URL, length: number): ReturnType<typeof replay> =>
    replay(paths, {
      ...{ base, clients, seconds: length, timeout: timeoutMs, headers: {} },
      requests: Number.POSITIVE_INFINITY,
    });
  for (const { base } of targets) await ask(base, Math.min(2, seconds));
  for (let round = 0; round < rounds; round++)
    for (const { name, base, pid } of targets) {
      const before = (await processorTimeOf(pid)) ?? 0;
      const { times, statuses, seconds: took } = await ask(base, seconds);
      const used = ((await processorTimeOf(pid)) ?? 0) - before;
      const wrong = Object.keys(statuses).filter((status) => status !== "200");
      if (wrong.length > 0) throw new Error(`${name} answered ${wrong.join(", ")}`);
      runs.get(name)?.push({
        perSecond: times.length / took,
        processor: (used * 1_000) / times.length,
        p99: latency(times).p99,
      });
    }
  return runs;
};

const report = (
  targets: readonly Target[],
  runs: ReadonlyMap<TargetName, readonly Run[]>,
): void => {
  const middle = (name: TargetName, what: keyof Run): number =>
    median((runs.get(name) ?? []).map((run) => run[what]));
  const against = targets.map(({ name }) => name).filter((name) => plain.has(name));
  const head = ["", "hits/s", ...against.map((name) => `of ${name}`), "µs of processor", "p99 ms"];
  const rows = targets.map(({ name }) => [
    name,
    middle(name, "perSecond").toFixed(0),
    ...against.map((other) => (middle(name, "perSecond") / middle(other, "perSecond")).toFixed(2)),
    middle(name, "processor").toFixed(0),
    middle(name, "p99").toFixed(1),
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [head, ...rows])
    say(
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join("  "),
    );
};

const plain: ReadonlySet<TargetName> = new Set(["node", "nginx"]);

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 2;
});
