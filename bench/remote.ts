import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BenchImage, imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { type Origin, startOrigin, type Traffic } from "./remote/origin.ts";
import { replay } from "./replay.ts";
import { freePort, type Running, startServer } from "./rivals/server.ts";
import { latency } from "./statistics.ts";
import { tilePath } from "./tiles.ts";

const usage = `Measures how a built server reads a picture from a web server.

  npm run bench:remote -- --picture FILE [options]

  --picture FILE   a pyramid, such as a TIFF with tiles
  --main FILE      the built server                         (dist/cli/main.js)
  --delay N        milliseconds that each request takes     (30)
  --megabits N     megabits per second of a connection      (100)
  --tiles N        requests of the session                  (200)
  --clients N      how many clients share the session       (8)

Prints the requests and bytes of info.json, of a first tile and of further tiles, each of an object that
is new to the server, and the time of a viewer's session beside the time of fetching the object first.
`;

interface Options {
  readonly picture: string;
  readonly main: string;
  readonly delayMs: number;
  readonly megabits: number;
  readonly tiles: number;
  readonly clients: number;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      picture: { type: "string" },
      main: { type: "string", default: "dist/cli/main.js" },
      delay: { type: "string", default: "30" },
      megabits: { type: "string", default: "100" },
      tiles: { type: "string", default: "200" },
      clients: { type: "string", default: "8" },
    },
  });
  if (values.help) return undefined;
  if (values.picture === undefined) throw new Error("Expected --picture FILE");
  return {
    picture: resolve(values.picture),
    main: resolve(values.main),
    delayMs: Number(values.delay),
    megabits: Number(values.megabits),
    tiles: Number(values.tiles),
    clients: Number(values.clients),
  };
};

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-remote-"));
  const origin = await startOrigin(options.picture, options);
  try {
    const server = await start(folder, origin, options);
    try {
      await measure(server, origin, options);
    } finally {
      await server.stop();
    }
  } finally {
    await origin.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const start = async (folder: string, origin: Origin, options: Options): Promise<Running> => {
  const port = await freePort();
  const config = join(folder, "vitrine.properties");
  await mkdir(join(folder, "cache"));
  const lines = {
    "http.host": "127.0.0.1",
    "http.port": port,
    "source.static": "HttpSource",
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base.origin}/`,
    "cache.server.derivative.enabled": false,
    "endpoint.iiif.min_tile_size": 256,
    "log.application.level": "warn",
  };
  await writeFile(
    config,
    Object.entries(lines)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join(""),
  );
  const setup = {
    folder,
    pictures: folder,
    sample: nameOf(0, options),
    processes: 1,
  };
  const command = [process.execPath, options.main, "serve", "--config", config] as const;
  return startServer("vitrine", command, { port, prefix: "/iiif/3", setup });
};

/** The identifier of an object that only this number stands for. */
const nameOf = (number: number, { picture }: Pick<Options, "picture">): string =>
  encodeURIComponent(`${number}/${basename(picture)}`);

const measure = async (server: Running, origin: Origin, options: Options): Promise<void> => {
  const rows: Row[] = [];
  const row = async (what: string, work: () => Promise<{ readonly bytes: number }>) => {
    origin.traffic();
    const began = performance.now();
    const { bytes } = await work();
    rows.push({ what, ...origin.traffic(), answered: bytes, ms: performance.now() - began });
  };
  let image: BenchImage = await imageOf(server.base, nameOf(1, options));
  await row("info.json, nothing known", async () => {
    return get(server, `/iiif/3/${nameOf(2, options)}/info.json`);
  });
  const tiles = someTiles(image, 21);
  const at = (number: number, index: number): string =>
    (tiles[index] ?? "").replace(nameOf(1, options), nameOf(number, options));
  await row("first tile, nothing known", () => get(server, at(3, 0)));
  for (let index = 1; index < tiles.length; index++)
    await row("further tile", () => get(server, at(3, index)));
  process.stdout.write(`${table(summed(rows))}\n`);

  image = await imageOf(server.base, nameOf(4, options));
  const paths = lists.viewer([{ ...image, path: `/iiif/3/${nameOf(5, options)}` }], {
    count: options.tiles,
    seed: 1,
  });
  const [first, ...rest] = paths;
  if (first === undefined) throw new Error("Expected a session of at least one request");
  origin.traffic();
  const session = await replay([first, ...rest], {
    base: server.base,
    clients: options.clients,
    seconds: 600,
    requests: paths.length,
    timeout: 60_000,
    headers: {},
  });
  const traffic = origin.traffic();
  const began = performance.now();
  const whole = await fetch(`${origin.base.origin}/6/${basename(options.picture)}`);
  const { byteLength } = await whole.arrayBuffer();
  const fetching = (performance.now() - began) / 1_000;
  const { p50, p95, max } = latency(session.times);
  process.stdout.write(
    [
      `\nSession of ${paths.length} requests, ${options.clients} clients: ${session.seconds.toFixed(2)} s`,
      `(statuses ${JSON.stringify(session.statuses)}; p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${max.toFixed(0)} ms)`,
      `${traffic.requests} requests and ${kilobytes(traffic.bytes)} KiB of the origin`,
      `Fetching the object: ${fetching.toFixed(2)} s, ${kilobytes(byteLength)} KiB: ${(fetching / session.seconds).toFixed(1)} times the session\n`,
    ].join("\n"),
  );
};

/** Tiles of full size, far from each other. */
const someTiles = (image: BenchImage, count: number): string[] => {
  const across = Math.floor(image.width / image.tileWidth);
  const down = Math.floor(image.height / image.tileHeight);
  return Array.from({ length: count }, (_, index) =>
    tilePath(image, {
      factor: 1,
      column: (index * 17 + 11) % across,
      row: (index * 29 + 13) % down,
    }),
  );
};

interface Row extends Traffic {
  readonly what: string;
  /** Bytes of the answers. */
  readonly answered: number;
  readonly ms: number;
}

/** One row for all that are alike: the most of each figure. */
const summed = (rows: readonly Row[]): readonly Row[] => {
  const names = [...new Set(rows.map(({ what }) => what))];
  return names.map((what) => {
    const alike = rows.filter((row) => row.what === what);
    const most = (of: (row: Row) => number): number => Math.max(...alike.map(of));
    return {
      what: alike.length > 1 ? `${what} (worst of ${alike.length})` : what,
      requests: most(({ requests }) => requests),
      bytes: most(({ bytes, answered }) => (alike.length > 1 ? bytes - answered : bytes)),
      answered: most(({ answered }) => answered),
      ms: most(({ ms }) => ms),
    };
  });
};

const table = (rows: readonly Row[]): string =>
  [
    "| what | requests | KiB read (further tiles: beyond the answer) | KiB answered | ms |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...rows.map(
      ({ what, requests, bytes, answered, ms }) =>
        `| ${what} | ${requests} | ${kilobytes(bytes)} | ${kilobytes(answered)} | ${ms.toFixed(0)} |`,
    ),
  ].join("\n");

const kilobytes = (bytes: number): string => (bytes / 1_024).toFixed(1);

const get = async (server: Running, path: string): Promise<{ readonly bytes: number }> => {
  const response = await fetch(`${server.base.origin}${path}`, {
    signal: AbortSignal.timeout(60_000),
  });
  const body = await response.arrayBuffer();
  if (!response.ok) throw new Error(`Expected ${path}, got status ${response.status}`);
  return { bytes: body.byteLength };
};

await main(process.argv.slice(2));
