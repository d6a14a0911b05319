import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { machine } from "../src/config/machine.ts";
import { random } from "../test/random.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { memoryOf } from "./memory.ts";
import { drawPyramid } from "./own-pictures.ts";
import { type OwnServer, startOwn } from "./own-server.ts";
import { replay } from "./replay.ts";
import { mebibytes } from "./result.ts";
import { picture } from "./tiles.ts";
import { chart, type Sample, slopeOf } from "./trend.ts";

const usage = `Serves a hundred large pictures for a while and says whether memory stays within its budget.

  npm run bench:soak -- [options]

  --main FILE       the built server              (dist/cli/main.js)
  --pictures FOLDER pictures to give a hundred names to (three pyramids are drawn)
  --seconds N       how long                      (600)
  --clients N       how many ask at the same time (12)
  --workers N       how many workers serve        (one per processor)
  --allocator NAME  http.allocator: auto or system (auto)
  --budget MB       processor.memory_budget       (768)
  --cache MB        HeapCache.target_size         (128)
  --settle N        seconds that do not count for flatness (120, at most a third)
  --port N          where it serves               (any free port)

The load: people who zoom and pan, regions and sizes nobody asked for before, thumbnails, and
whole pictures of 2,000 to 4,000 pixels in JPEG, PNG and WebP. Resident memory of all processes of
the server is looked at every five seconds and written to bench/results/. The budget is that of
docs/operating.md. Ends with 1 where memory went more than a tenth beyond it or kept growing.
`;

interface Options {
  readonly main: string;
  readonly pictures: string | undefined;
  readonly seconds: number;
  readonly clients: number;
  readonly workers: number;
  readonly allocator: string;
  readonly budget: number;
  readonly cache: number;
  readonly settle: number;
  readonly port: number | undefined;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      pictures: { type: "string" },
      seconds: { type: "string", default: "600" },
      clients: { type: "string", default: "12" },
      workers: { type: "string", default: String(Math.max(1, Math.floor(machine().processors))) },
      allocator: { type: "string", default: "auto" },
      budget: { type: "string", default: "768" },
      cache: { type: "string", default: "128" },
      settle: { type: "string", default: "120" },
      port: { type: "string" },
    },
  });
  if (values.help) return undefined;
  const seconds = whole("seconds", values.seconds, 86_400);
  return {
    main: values.main,
    pictures: values.pictures,
    seconds,
    clients: whole("clients", values.clients, 256),
    workers: whole("workers", values.workers, 256),
    allocator: values.allocator,
    budget: whole("budget", values.budget, 1_000_000),
    cache: whole("cache", values.cache, 1_000_000),
    settle: Math.min(whole("settle", values.settle, 86_400), seconds / 3),
    port: values.port === undefined ? undefined : whole("port", values.port, 65_535),
  };
};

const whole = (name: string, given: string, max: number): number => {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1 || value > max)
    throw new Error(`Expected a whole number from 1 to ${max} for --${name}, got "${given}"`);
  return value;
};

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-soak-"));
  try {
    const files = options.pictures ? await filesIn(options.pictures) : await drawAll(folder);
    const pictures = hundredNames(files);
    const server = await startOwn({
      main: options.main,
      pictures,
      settings: {
        max_pixels: largestAnswer,
        "http.workers": options.workers,
        "http.allocator": options.allocator,
        "processor.memory_budget": `${options.budget}M`,
        "cache.server.derivative.enabled": true,
        "cache.server.derivative": "HeapCache",
        "HeapCache.target_size": `${options.cache}M`,
        "cache.server.structure.target_size": `${structure}M`,
        "log.application.level": "warn",
      },
      port: options.port,
    });
    try {
      process.exitCode = (await soak(server, Object.keys(pictures), options)) ? 0 : 1;
    } finally {
      await server.remove();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const largestAnswer = 20_000_000;
/** In MiB, per worker. */
const structure = 64;
/** In MiB: memory of a server process before it has rendered anything, by docs/operating.md. */
const perProcess = 100;

const sizes = [
  { width: 9_000, height: 7_000, compression: "jpeg" },
  { width: 7_000, height: 5_000, compression: "deflate" },
  { width: 5_200, height: 7_400, compression: "jpeg" },
] as const;

const drawAll = async (folder: string): Promise<string[]> => {
  const files: string[] = [];
  for (const size of sizes) files.push(await drawPyramid(folder, size));
  return files;
};

const filesIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder);
  return names.filter((name) => /\.(tiff?|jpe?g)$/i.test(name)).map((name) => join(folder, name));
};

const hundredNames = (files: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 100 }, (_, number) => {
      const file = files[number % files.length];
      if (file === undefined) throw new Error("Expected at least one TIFF or JPEG to serve");
      return [`${String(number).padStart(3, "0")}-${basename(file)}`, file];
    }),
  );

const soak = async (
  server: OwnServer,
  names: readonly string[],
  options: Options,
): Promise<boolean> => {
  const { base, pid } = server;
  const [first, ...rest] = await Promise.all(names.map((name) => imageOf(base, name)));
  if (first === undefined) throw new Error("Expected at least one picture");
  const paths = load([first, ...rest]);
  const samples: Sample[] = [];
  const lines = ["seconds,resident_mib,processes"];
  const began = performance.now();
  const look = async (): Promise<void> => {
    const seconds = (performance.now() - began) / 1000;
    const memory = await memoryOf(pid);
    if (memory === undefined) return;
    const value = memory.resident / 2 ** 20;
    samples.push({ seconds, value });
    lines.push(`${seconds.toFixed(1)},${value.toFixed(1)},${memory.processes}`);
  };
  await look();
  const timer = setInterval(() => {
    look().catch(() => clearInterval(timer));
  }, sampleMs);
  const { clients, seconds, workers, budget, cache, settle } = options;
  const run = await replay(paths, {
    ...{ base, clients, seconds, timeout: 120_000, headers: {} },
    requests: Number.POSITIVE_INFINITY,
  });
  clearInterval(timer);
  await look();

  const limit = (workers + 1) * perProcess + budget + cache + structure * workers;
  const max = Math.max(...samples.map(({ value }) => value));
  const settled = samples.filter((sample) => sample.seconds >= settle);
  const mean = settled.reduce((sum, { value }) => sum + value, 0) / settled.length;
  const perMinute = slopeOf(settled) * 60;
  const growth = (perMinute * (seconds - settle)) / 60 / mean;
  const isWithin = max <= limit * tolerated;
  const isFlat = growth <= maxGrowth;
  const file = await keep(lines, options.allocator);
  const statuses = Object.entries(run.statuses).map(([status, count]) => `${status} × ${count}`);
  const verdict = (good: boolean): string => (good ? "good" : "BAD");
  say(chart(samples, { rows: 12, columns: 72, top: Math.ceil(limit * tolerated) }));
  say(`${run.times.length} requests, ${mebibytes(run.bytes)}; ${statuses.join(", ")}`);
  say(`at the most ${max.toFixed(0)} MiB of ${limit.toFixed(0)} and a tenth: ${verdict(isWithin)}`);
  say(
    `after ${settle.toFixed(0)} s: ${mean.toFixed(0)} MiB on average, ${perMinute.toFixed(1)} MiB more each minute, ${(growth * 100).toFixed(1)} % over the time: ${verdict(isFlat)}`,
  );
  say(`written to ${file}`);
  return isWithin && isFlat;
};

const sampleMs = 5_000;
/** Maximum fraction of the budget. */
const tolerated = 1.1;
/**
 * Maximum growth relative to the mean, from settling to the end, by the line through all samples.
 */
const maxGrowth = 0.05;

/** Enough paths that none is repeated within minutes, except those that users do request again. */
const load = (images: readonly [BenchImage, ...BenchImage[]]): [string, ...string[]] => {
  const dice = random(1);
  const some = { count: 4_000, seed: 2 };
  const kinds = [
    ...[lists.viewer(images, some), lists.viewer(images, { ...some, seed: 3 })],
    ...[lists.odd(images, some), lists.thumbnails(images, some)],
  ];
  const wholes = Array.from({ length: some.count / wholeEvery }, () => {
    const image = dice.one(images);
    const size = `!${dice.whole(2000, 4000)},${dice.whole(2000, 4000)}`;
    return picture(image, {
      region: "full",
      size,
      format: dice.one(["jpg", "jpg", "png", "webp"]),
    });
  });
  const mixed = Array.from({ length: some.count }, (_, n) => [
    ...kinds.flatMap((paths) => paths[n] ?? []),
    ...(n % wholeEvery === 0 ? [wholes[n / wholeEvery] ?? ""] : []),
  ]).flat();
  const [first, ...rest] = mixed;
  if (first === undefined) throw new Error("Expected something to ask for");
  return [first, ...rest];
};

/** One whole image comes to so many of each other kind. */
const wholeEvery = 10;

const keep = async (lines: readonly string[], name: string): Promise<string> => {
  const date = new Date().toISOString().replace(/[:.]/g, "-");
  const file = `bench/results/${date}-soak-${name}.csv`;
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
