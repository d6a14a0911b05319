import { mkdtemp, rm } from "node:fs/promises";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { random } from "../test/random.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { type Memory, memoryOf } from "./memory.ts";
import { type Arrival, type OpenLoad, openLoad } from "./open-load.ts";
import { drawPyramid } from "./own-pictures.ts";
import { type OwnServer, startOwn } from "./own-server.ts";
import { processorTimeOf } from "./processor-time.ts";
import { replay } from "./replay.ts";
import { mebibytes } from "./result.ts";
import { latency } from "./statistics.ts";

const usage = `Asks a built server for ten times what it can do and says what it still does.

  npm run bench:overload -- [options]

  --main FILE       the built server             (dist/cli/main.js)
  --tiles FILE      the pyramid whose tiles are asked for (one is drawn)
  --large FILE      the picture that is asked for whole   (one is drawn)
  --seconds N       how long there is too much   (120)
  --calm N          how long each calm phase is  (10)
  --times N         how many times too much      (10)
  --clients N       how many ask while it is calm (8)
  --connections N   how many may be under way at once while there is too much (400)
  --waiting N       processor.max_waiting of the server (128)
  --port N          where it serves              (any free port)
  --set KEY=VALUE   another setting of the server; may be given several times

Calm is measured three times: before, before with a load beside it of as many requests for something
trivial (the generator and the server's HTTP take processor time as well, of which too much work
cannot take away), and ten seconds after.
`;

interface Options {
  readonly main: string;
  readonly tiles: string | undefined;
  readonly large: string | undefined;
  readonly seconds: number;
  readonly calm: number;
  readonly times: number;
  readonly clients: number;
  readonly connections: number;
  readonly waiting: number;
  readonly port: number | undefined;
  readonly set: Readonly<Record<string, string>>;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      tiles: { type: "string" },
      large: { type: "string" },
      seconds: { type: "string", default: "120" },
      calm: { type: "string", default: "10" },
      times: { type: "string", default: "10" },
      clients: { type: "string", default: "8" },
      connections: { type: "string", default: "400" },
      waiting: { type: "string", default: "128" },
      port: { type: "string" },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  if (values.help) return undefined;
  return {
    main: values.main,
    tiles: values.tiles,
    large: values.large,
    seconds: whole("seconds", values.seconds, 3600),
    calm: whole("calm", values.calm, 600),
    times: whole("times", values.times, 100),
    clients: whole("clients", values.clients, 256),
    connections: whole("connections", values.connections, 1000),
    waiting: whole("waiting", values.waiting, 10_000),
    port: values.port === undefined ? undefined : whole("port", values.port, 65_535),
    set: Object.fromEntries(values.set.map(setting)),
  };
};

const whole = (name: string, given: string, max: number): number => {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1 || value > max)
    throw new Error(`Expected a whole number from 1 to ${max} for --${name}, got "${given}"`);
  return value;
};

const setting = (given: string): [key: string, value: string] => {
  const at = given.indexOf("=");
  if (at < 1) throw new Error(`Expected KEY=VALUE for --set, got "${given}"`);
  return [given.slice(0, at), given.slice(at + 1)];
};

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-overload-"));
  try {
    const tiles =
      options.tiles ?? (await drawPyramid(folder, { ...drawn, compression: "deflate" }));
    const large = options.large ?? (await drawPyramid(folder, { ...drawn, compression: "jpeg" }));
    const server = await startOwn({
      main: options.main,
      pictures: { [tilesName]: tiles, [largeName]: large },
      settings: {
        max_pixels: 0,
        "processor.max_waiting": options.waiting,
        "cache.server.derivative.enabled": false,
        "log.application.level": "warn",
        ...options.set,
      },
      port: options.port,
    });
    const isAhead = goAhead();
    if (!isAhead)
      say(
        "The one who asks may not go before the server: what it waits for a processor counts as the server's time.",
      );
    try {
      await measure(server, options);
    } finally {
      await server.remove();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Real clients have processors of their own; returns whether this process may have priority here.
 */
const goAhead = (): boolean => {
  try {
    setPriority(askersPriority);
    return true;
  } catch {
    return false;
  }
};

/** Of the system's priorities, of which 0 is the usual one and -20 the highest. */
const askersPriority = -10;

const drawn = { width: 10_000, height: 7_500 } as const;
const tilesName = "tiles.tif";
const largeName = "large.tif";

const measure = async (server: OwnServer, options: Options): Promise<void> => {
  const tiles = shuffled(lists.tiles([await imageOf(server.base, tilesName)], everyTile));
  const large = await imageOf(server.base, largeName);
  const { clients, calm: seconds, times, connections } = options;
  const calm = async (name: string): Promise<Calm> => {
    const before = (await processorTimeOf(server.pid)) ?? 0;
    const { times: answered, statuses } = await replay(tiles, {
      ...{ base: server.base, clients, seconds, timeout: timeoutMs, headers: {} },
      requests: Number.POSITIVE_INFINITY,
    });
    const used = ((await processorTimeOf(server.pid)) ?? 0) - before;
    const perSecond = (statuses["200"] ?? 0) / seconds;
    const { p50, p99 } = latency(answered);
    say(
      `${name}: ${perSecond.toFixed(1)} tiles per second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${inStatuses(statuses)}; ${share(used, seconds)} processors`,
    );
    return { perSecond, perProcessorSecond: (statuses["200"] ?? 0) / (used / 1000) };
  };
  const load = { base: server.base, connections, timeout: timeoutMs, first: trivial };

  await replay(tiles, {
    ...{ base: server.base, clients, seconds: warmupSeconds, timeout: timeoutMs, headers: {} },
    requests: Number.POSITIVE_INFINITY,
  });
  const capacity = await calm("calm");
  const rate = capacity.perSecond * times;
  const others = rate - capacity.perSecond;
  const beside = openLoad(() => ({ kind: "trivial", path: trivial }), {
    ...{ ...load, seconds: seconds + 1 },
    rate: others,
  });
  const shared = await calm(`calm beside ${others.toFixed(0)} trivial requests per second`);
  say(`  of the trivial ${describe(await beside, "trivial")}`);

  const memory = await watchMemory(server.pid);
  const before = (await processorTimeOf(server.pid)) ?? 0;
  const own = process.cpuUsage();
  const askersDelay = monitorEventLoopDelay({ resolution: 5 });
  askersDelay.enable();
  const over = await openLoad((number) => arrival(number, { tiles, large }), {
    ...load,
    rate,
    seconds: options.seconds,
  });
  const used = ((await processorTimeOf(server.pid)) ?? 0) - before;
  const { user, system } = process.cpuUsage(own);
  const seen = await memory();
  const kept = (over.kinds["tile"]?.statuses["200"] ?? 0) / over.seconds;
  say(
    `${times} times too much for ${over.seconds.toFixed(0)} s: ${rate.toFixed(0)} per second, ${over.sent} sent, ${over.dropped} found all ${connections} connections taken; ${share(used, over.seconds)} processors, ${share((user + system) / 1000, over.seconds)} for asking`,
  );
  say(`  tiles: ${describe(over, "tile")}`);
  say(`  large: ${describe(over, "large")}`);
  askersDelay.disable();
  const refused = statusTimes(over, "503");
  const refusals = latency(refused);
  const late = refused.filter((milliseconds) => milliseconds > maxForRefusing).length;
  say(
    `  refusals: p50 ${refusals.p50.toFixed(1)} ms, p99 ${refusals.p99.toFixed(1)} ms, longest ${refusals.max.toFixed(1)} ms, ${late} of ${refused.length} over ${maxForRefusing} ms; the one who asked was held up for ${(askersDelay.max / 1e6).toFixed(1)} ms at the most himself`,
  );
  say(`  other 5xx and lost connections: ${otherFailures(over)}`);
  say(
    `  tiles per second: ${kept.toFixed(1)}, ${(kept / capacity.perSecond).toFixed(2)} of calm, ${(kept / shared.perSecond).toFixed(2)} of calm beside trivial requests`,
  );
  const perProcessorSecond = (kept * over.seconds) / (used / 1000);
  say(
    `  tiles per second of the server's processor time: ${perProcessorSecond.toFixed(1)}, ${(perProcessorSecond / capacity.perProcessorSecond).toFixed(2)} of calm`,
  );
  say(
    `  resident memory: ${mebibytes(seen.first)} before, ${mebibytes(seen.max)} at the most, ${mebibytes(seen.last)} at the end`,
  );
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const after = await calm("calm again");
  say(`  ${(after.perSecond / capacity.perSecond).toFixed(2)} of before`);
};

/** What the server did while it was calm, in tiles. */
interface Calm {
  readonly perSecond: number;
  readonly perProcessorSecond: number;
}

const trivial = "/health";
const timeoutMs = 60_000;
/** Milliseconds. */
const maxForRefusing = 100;
const warmupSeconds = 2;
const restMs = 10_000;
const everyTile = { count: Number.POSITIVE_INFINITY, seed: 1 };

/** By how many columns and rows the largest image is asked for with less than all. */
const margin = 500;

/**
 * Every third is the largest image, short of a few columns and rows: no two are the same, so none
 * is shared.
 */
const arrival = (
  number: number,
  { tiles, large }: { readonly tiles: readonly [string, ...string[]]; readonly large: BenchImage },
): Arrival => {
  if (number % 3 !== 0) return { kind: "tile", path: tiles[number % tiles.length] ?? tiles[0] };
  const one = Math.floor(number / 3);
  const columns = large.width - (one % margin);
  const rows = large.height - (Math.floor(one / margin) % margin);
  return { kind: "large", path: `${large.path}/0,0,${columns},${rows}/max/0/default.jpg` };
};

const shuffled = (paths: readonly string[]): [string, ...string[]] => {
  const dice = random(1);
  const [first, ...rest] = paths
    .map((path) => ({ path, at: dice.whole(0, 2 ** 31) }))
    .sort((a, b) => a.at - b.at)
    .map(({ path }) => path);
  if (first === undefined) throw new Error("Expected a picture that has tiles");
  return [first, ...rest];
};

const describe = ({ kinds }: OpenLoad, kind: string): string => {
  const { statuses = {}, times = {} } = kinds[kind] ?? {};
  const ok = latency(times["200"] ?? []);
  return `${inStatuses(statuses)}; 200 in p50 ${ok.p50.toFixed(1)} ms, p99 ${ok.p99.toFixed(1)} ms, longest ${ok.max.toFixed(1)} ms`;
};

const inStatuses = (statuses: Readonly<Record<string, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status} × ${count}`)
    .join(", ");

const statusTimes = ({ kinds }: OpenLoad, status: string): readonly number[] =>
  Object.values(kinds).flatMap(({ times }) => times[status] ?? []);

const otherFailures = ({ kinds }: OpenLoad): number =>
  Object.values(kinds)
    .flatMap(({ statuses }) => Object.entries(statuses))
    .filter(([status]) => status !== "503" && !/^[1-4]\d\d$/.test(status))
    .reduce((sum, [, count]) => sum + count, 0);

const share = (ms: number, seconds: number): string => (ms / 1000 / seconds).toFixed(2);

interface Seen {
  readonly first: number;
  readonly max: number;
  readonly last: number;
}

/** Samples a process tree's memory each second, and once more when asked for the result. */
const watchMemory = async (pid: number): Promise<() => Promise<Seen>> => {
  const seen: Memory[] = [];
  const look = async (): Promise<void> => {
    const memory = await memoryOf(pid);
    if (memory !== undefined) seen.push(memory);
  };
  await look();
  const timer = setInterval(() => {
    look().catch(() => clearInterval(timer));
  }, 1_000);
  return async () => {
    clearInterval(timer);
    await look();
    const sizes = seen.map(({ resident }) => resident);
    return { first: sizes[0] ?? 0, max: Math.max(0, ...sizes), last: sizes.at(-1) ?? 0 };
  };
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
