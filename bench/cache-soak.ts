import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { random } from "../test/random.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { memoryOf } from "./memory.ts";
import { drawPyramid } from "./own-pictures.ts";
import { type OwnServer, startOwn } from "./own-server.ts";
import { replay } from "./replay.ts";
import { mebibytes } from "./result.ts";
import { picture } from "./tiles.ts";
import { chart, type Sample, slopeOf } from "./trend.ts";

const usage = `Asks a built server for far more tiles than its cache holds, and says whether the bounds hold.

  npm run bench:cache-soak -- [options]

  --main FILE       the built server              (dist/cli/main.js)
  --picture FILE    a large picture               (a pyramid is drawn)
  --minutes N       how long                      (10)
  --tiles N         how many different tiles      (50000)
  --clients N       how many ask at the same time (8)
  --workers N       how many workers serve        (2)
  --front MB        memory in front of the cache, of all workers (64)
  --cache MB        cache.server.derivative.max_size of the file system (256)
  --settle N        seconds that do not count for flatness (120, at most a third)
  --set KEY=VALUE   another setting of the server; may be given several times
  --port N          where it serves               (any free port)

The tiles are regions of 256 x 256 pixels at places where no stored tile begins, so each has to be
drawn. Two thirds of the requests are for any of them, one third for the same two thousand. Every
five seconds the resident memory of all processes of the server and the files of the cache are looked
at, and written to bench/results/. Ends with 1 where the cache went more than 5 % beyond its bound,
memory kept growing, or an answer failed.
`;

interface Options {
  readonly main: string;
  readonly picture: string | undefined;
  readonly minutes: number;
  readonly tiles: number;
  readonly clients: number;
  readonly workers: number;
  readonly front: number;
  readonly cache: number;
  readonly settle: number;
  readonly set: Readonly<Record<string, string>>;
  readonly port: number | undefined;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      picture: { type: "string" },
      minutes: { type: "string", default: "10" },
      tiles: { type: "string", default: "50000" },
      clients: { type: "string", default: "8" },
      workers: { type: "string", default: "2" },
      front: { type: "string", default: "64" },
      cache: { type: "string", default: "256" },
      settle: { type: "string", default: "120" },
      set: { type: "string", multiple: true, default: [] },
      port: { type: "string" },
    },
  });
  if (values.help) return undefined;
  const minutes = number("minutes", values.minutes, 1_440);
  return {
    main: values.main,
    picture: values.picture,
    minutes,
    tiles: whole("tiles", values.tiles, maxTiles),
    clients: whole("clients", values.clients, 256),
    workers: whole("workers", values.workers, 64),
    front: whole("front", values.front, 1_000_000),
    cache: whole("cache", values.cache, 1_000_000),
    settle: Math.min(whole("settle", values.settle, 86_400), minutes * 20),
    set: Object.fromEntries(values.set.map(setting)),
    port: values.port === undefined ? undefined : whole("port", values.port, 65_535),
  };
};

const maxTiles = 1_000_000;

const number = (name: string, given: string, max: number): number => {
  const value = Number(given);
  if (!/^\d+(\.\d+)?$/.test(given) || value <= 0 || value > max)
    throw new Error(`Expected a number above 0, up to ${max}, for --${name}, got "${given}"`);
  return value;
};

const whole = (name: string, given: string, max: number): number => {
  const value = number(name, given, max);
  if (!Number.isInteger(value))
    throw new Error(`Expected a whole number for --${name}, got "${given}"`);
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
  const folder = await mkdtemp(join(tmpdir(), "vitrine-cache-soak-"));
  try {
    const file = options.picture ?? (await drawPyramid(folder, drawn));
    const name = basename(file);
    const cache = join(folder, "cache");
    await mkdir(cache);
    const server = await startOwn({
      main: options.main,
      pictures: { [name]: file },
      settings: {
        "http.workers": options.workers,
        "cache.server.derivative.enabled": true,
        "cache.server.derivative": "FilesystemCache",
        "cache.server.derivative.max_size": `${options.cache}M`,
        "FilesystemCache.pathname": cache,
        "HeapCache.target_size": `${options.front}M`,
        "HeapCache.front_share": 1,
        "cache.server.worker.enabled": true,
        "cache.server.worker.interval": 60,
        "log.application.level": "warn",
        ...options.set,
      },
      port: options.port,
    });
    try {
      const paths = load(await imageOf(server.base, name), options.tiles);
      process.exitCode = (await soak({ server, cache, paths }, options)) ? 0 : 1;
    } finally {
      await server.remove();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const drawn = { width: 12_000, height: 9_000, compression: "jpeg" } as const;
const side = 256;
/** Requests of one round of the load for each existing tile. */
const rounds = 3;
const hotTiles = 2_000;

/** Paths of so many different tiles, in random order, with some repeated. */
const load = (image: BenchImage, count: number): [string, ...string[]] => {
  const [wide, high] = [image.width - side, image.height - side];
  if (wide < 1 || high < 1) throw new Error(`Expected a picture larger than ${side} pixels`);
  const step = Math.floor(Math.sqrt((wide * high) / count));
  const columns = Math.floor(wide / Math.max(1, step));
  if (step < 1 || columns * Math.floor(high / step) < count * maxLost)
    throw new Error(`Expected a picture with room for ${count} tiles`);
  const tile = (n: number): string => {
    // Shifted by one pixel: no stored tile of any pyramid begins there.
    const [x, y] = [(n % columns) * step + 1, Math.floor(n / columns) * step + 1];
    const size = image.version === 3 ? `${side},${side}` : `${side},`;
    return picture(image, { region: `${x},${y},${side},${side}`, size });
  };
  const dice = random(1);
  const paths = Array.from({ length: count * rounds }, (_, n) =>
    tile(
      n % rounds === 0 ? dice.whole(0, Math.min(hotTiles, count) - 1) : dice.whole(0, count - 1),
    ),
  );
  const [first, ...rest] = paths;
  if (first === undefined) throw new Error("Expected something to ask for");
  return [first, ...rest];
};

/** Rows and columns that do not come out even cost a few tiles. */
const maxLost = 0.95;

interface Scene {
  readonly server: OwnServer;
  readonly cache: string;
  readonly paths: readonly [string, ...string[]];
}

const soak = async ({ server, cache, paths }: Scene, options: Options): Promise<boolean> => {
  const { base, pid } = server;
  const memory: Sample[] = [];
  const disk: Sample[] = [];
  const lines = ["seconds,resident_mib,files,file_mib"];
  const began = performance.now();
  const look = async (): Promise<void> => {
    const [resident, files] = await Promise.all([memoryOf(pid), filesOf(cache)]);
    if (resident === undefined) return;
    const seconds = (performance.now() - began) / 1000;
    const [inMemory, onDisk] = [resident.resident / mebibyte, files.bytes / mebibyte];
    memory.push({ seconds, value: inMemory });
    disk.push({ seconds, value: onDisk });
    lines.push(`${seconds.toFixed(1)},${inMemory.toFixed(1)},${files.count},${onDisk.toFixed(2)}`);
  };
  await look();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
    looking.catch(() => clearInterval(timer));
  }, sampleMs);
  const { clients, minutes, settle } = options;
  const seconds = minutes * 60;
  const run = await replay(paths, {
    ...{ base, clients, seconds, timeout: 60_000, headers: {} },
    requests: Number.POSITIVE_INFINITY,
  });
  clearInterval(timer);
  await looking;
  await look();

  const maxHeld = Math.max(...disk.map(({ value }) => value));
  const settled = memory.filter((sample) => sample.seconds >= settle);
  const mean = settled.reduce((sum, { value }) => sum + value, 0) / settled.length;
  const perMinute = slopeOf(settled) * 60;
  const growth = (perMinute * (seconds - settle)) / 60 / mean;
  const failed = Object.entries(run.statuses).filter(([status]) => status !== "200");
  const isWithin = maxHeld <= options.cache * tolerated;
  const isFlat = growth <= maxGrowth;
  const isWell = failed.length === 0;
  const statuses = Object.entries(run.statuses).map(([status, times]) => `${status} × ${times}`);
  say(chart(memory, { rows: 10, columns: 72, top: Math.ceil(maxOf(memory)) }));
  say(
    `${run.times.length} requests of ${new Set(paths).size} different tiles, ${mebibytes(run.bytes)}; ${statuses.join(", ")}: ${verdict(isWell)}`,
  );
  say(
    `files of the cache: at the most ${maxHeld.toFixed(1)} MiB of ${options.cache} and 5 %: ${verdict(isWithin)}${maxHeld < options.cache / 2 ? " (but it was never near full)" : ""}`,
  );
  say(
    `memory, after ${settle.toFixed(0)} s: ${mean.toFixed(0)} MiB on average, ${maxOf(memory).toFixed(0)} at the most, ${perMinute.toFixed(1)} MiB more each minute, ${(growth * 100).toFixed(1)} % over the time: ${verdict(isFlat)}`,
  );
  say(`written to ${await keep(lines)}`);
  return isWithin && isFlat && isWell;
};

const sampleMs = 5_000;
const mebibyte = 2 ** 20;
/** Of the bound: what the cache may hold at most. */
const tolerated = 1.05;
/** Of the mean: the allowed growth from settling to the end, by the line through all samples. */
const maxGrowth = 0.05;

const maxOf = (samples: readonly Sample[]): number =>
  Math.max(...samples.map(({ value }) => value));

const verdict = (good: boolean): string => (good ? "good" : "BAD");

interface Files {
  readonly count: number;
  readonly bytes: number;
}

/** The content of a folder, by `find`: it is called often, and files come and go meanwhile. */
const filesOf = (folder: string): Promise<Files> =>
  new Promise((resolve) => {
    const options = { maxBuffer: 256 * mebibyte, timeout: 60_000 };
    // It exits with 1 where a file vanished; its output is valid all the same.
    execFile("find", [folder, "-type", "f", "-printf", "%s\n"], options, (_, stdout) => {
      const sizes = stdout.split("\n").filter((line) => line !== "");
      resolve({ count: sizes.length, bytes: sizes.reduce((sum, size) => sum + Number(size), 0) });
    });
  });

const keep = async (lines: readonly string[]): Promise<string> => {
  const date = new Date().toISOString().replace(/[:.]/g, "-");
  const file = `bench/results/${date}-cache-soak.csv`;
  await mkdir("bench/results", { recursive: true });
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
