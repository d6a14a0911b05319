import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { random } from "../test/random.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { memoryOf } from "./memory.ts";
import { drawPyramid } from "./own-pictures.ts";
import { type OwnServer, startOwn } from "./own-server.ts";
import { faults, startFaultyOrigin } from "./remote/faulty-origin.ts";
import { type Replay, replay } from "./replay.ts";
import { latency } from "./statistics.ts";

const usage = `Asks a built server for images on a web server that misbehaves, and for local ones meanwhile.

  npm run bench:remote-faults -- [options]

  --main FILE     the built server                          (dist/cli/main.js)
  --requests N    for images on the bad server              (1000)
  --clients N     how many ask for these at the same time   (32)
  --seconds N     how long local tiles are asked for alone  (10)
  --breaker       leaves the bad server alone after ten failures, as by default

The web server hangs, resets, drips, breaks off, sends too much or another range than asked for, names no size,
redirects in circles, answers 503 or 404. Ends with 1 if an answer comes later than the deadline, none
comes, or local tiles come at less than 0.8 of their usual rate.
`;

interface Options {
  readonly main: string;
  readonly requests: number;
  readonly clients: number;
  readonly seconds: number;
  readonly breaker: boolean;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      requests: { type: "string", default: "1000" },
      clients: { type: "string", default: "32" },
      seconds: { type: "string", default: "10" },
      breaker: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    main: values.main,
    requests: Number(values.requests),
    clients: Number(values.clients),
    seconds: Number(values.seconds),
    breaker: values.breaker,
  };
};

/** Seconds after which the server gives up on a range. */
const requestSeconds = 3;
/** Additional milliseconds allowed for the response. */
const besidesMs = 2_000;
const minShare = 0.8;

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-faults-"));
  const origin = await startFaultyOrigin();
  try {
    const picture = await drawPyramid(folder, { width: 8_000, height: 6_000, compression: "jpeg" });
    const server = await startOwn({
      main: options.main,
      pictures: { [local]: picture },
      settings: {
        "source.rules.1.pattern": "^bad/(.+)$",
        "source.rules.1.identifier": "$1",
        "source.rules.1.source": "HttpSource",
        "source.rules.1.HttpSource.BasicLookupStrategy.url_prefix": `${origin.base.origin}/`,
        "source.connect_timeout": 1,
        "source.response_timeout": 1,
        "source.request_timeout": requestSeconds,
        "HttpSource.request_timeout": requestSeconds,
        "cache.server.derivative.enabled": false,
        "endpoint.iiif.min_tile_size": 256,
        // All faults come from one server: its circuit breaker would open after the first few.
        "source.breaker.failures": options.breaker ? 10 : 0,
        "log.application.level": "error",
      },
    });
    try {
      await measure(server, options);
    } finally {
      await server.remove();
    }
    say(`${origin.requests()} requests reached the bad server`);
  } finally {
    await origin.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const local = "local.tif";

type Paths = readonly [string, ...string[]];

const measure = async (server: OwnServer, options: Options): Promise<void> => {
  const image = await imageOf(server.base, local);
  const tiles = localTiles(image);
  const load = { base: server.base, clients: 4, timeout: 60_000, headers: {} };
  const alone = async (): Promise<number> => {
    const run = await replay(tiles, {
      ...load,
      seconds: options.seconds,
      requests: Number.POSITIVE_INFINITY,
    });
    return (run.statuses["200"] ?? 0) / run.seconds;
  };
  await alone();
  const before = await alone();
  const memory = (await memoryOf(server.pid))?.resident ?? 0;
  const ended = { isOver: false };
  const bad = replay(badPaths(options.requests), {
    ...load,
    clients: options.clients,
    seconds: 3_600,
    requests: options.requests,
  }).finally(() => {
    ended.isOver = true;
  });
  let good = 0;
  let max = memory;
  const began = performance.now();
  while (!ended.isOver) {
    const run = await replay(tiles, { ...load, seconds: 1, requests: Number.POSITIVE_INFINITY });
    good += run.statuses["200"] ?? 0;
    max = Math.max(max, (await memoryOf(server.pid))?.resident ?? 0);
  }
  const during = good / ((performance.now() - began) / 1_000);
  const after = await alone();
  report(await bad, { before, during, after, memory, max });
};

const report = (
  bad: Replay,
  {
    before,
    during,
    after,
    memory,
    max,
  }: {
    readonly before: number;
    readonly during: number;
    readonly after: number;
    readonly memory: number;
    readonly max: number;
  },
): void => {
  const { p50, p95, max: slowest } = latency(bad.times);
  const share = during / ((before + after) / 2);
  const answered = bad.times.length;
  const asked = Object.values(bad.statuses).reduce((sum, count) => sum + count, 0);
  say(
    `${asked} requests, ${answered} answered in ${bad.seconds.toFixed(1)} s: ${JSON.stringify(bad.statuses)}`,
  );
  say(`p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${slowest.toFixed(0)} ms`);
  say(
    `local tiles: ${before.toFixed(0)}/s before, ${during.toFixed(0)}/s meanwhile, ${after.toFixed(0)}/s after: ${share.toFixed(2)} of the usual`,
  );
  say(`memory: ${mebibytes(memory)} MiB before, ${mebibytes(max)} MiB at most`);
  const late = slowest > requestSeconds * 1_000 + besidesMs;
  if (answered < asked || late || share < minShare) process.exitCode = 1;
};

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/** Each for an image of its own, so that nothing of it is cached. */
const badPaths = (count: number): Paths => {
  const dice = random(1);
  const paths = Array.from({ length: count }, (_, index) => {
    const id = encodeURIComponent(`bad/${dice.one(faults)}/${index}.tif`);
    const rest = dice.one([
      "info.json",
      "0,0,256,256/256,/0/default.jpg",
      "full/200,/0/default.jpg",
    ]);
    return `/iiif/3/${id}/${rest}`;
  });
  const [first = "", ...rest] = paths;
  return [first, ...rest];
};

const localTiles = (image: BenchImage): Paths => {
  const [first = "", ...rest] = lists.tiles([image], { count: 500, seed: 1 });
  return [first, ...rest];
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await main(process.argv.slice(2));
