import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BenchImage, imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { type Origin, startOrigin, type Traffic } from "./remote/origin.ts";
import { rivalSession } from "./remote/rival.ts";
import { describeSession, kibibytes, runSession } from "./remote/session.ts";
import { freePort, type Running, startServer } from "./rivals/server.ts";
import { tilePath } from "./tiles.ts";

const usage = `Measures how a built server reads a picture from a web server.

  npm run bench:remote -- --picture FILE [options]

  --picture FILE   a pyramid, such as a TIFF with tiles
  --main FILE      the built server                         (dist/cli/main.js)
  --delay N        milliseconds that each request takes     (30)
  --megabits N     megabits per second of a connection      (100)
  --tiles N        requests of the session                  (200)
  --clients N      how many clients share the session       (8)
  --rival N        as many requests of the session on iiif-processor, too  (0: none)
  --processor V    the version of iiif-processor            (7.0.0)

Prints the requests and bytes of info.json, of a first tile and of further tiles, each of an object that
is new to the server, and the time of a viewer's session beside the time of fetching the object first. With
--rival, the beginning of the session is run on the npm package iiif-processor as well, whose stream resolver
requests the object for each answer: slow with large pictures, so a few requests are enough.
`;

interface Options {
  readonly picture: string;
  readonly main: string;
  readonly delayMs: number;
  readonly megabits: number;
  readonly tiles: number;
  readonly clients: number;
  /** How many requests are sent to iiif-processor; 0: none. */
  readonly rivalRequests: number;
  readonly rivalVersion: string;
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
      rival: { type: "string", default: "0" },
      processor: { type: "string", default: "7.0.0" },
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
    rivalRequests: Number(values.rival),
    rivalVersion: values.processor,
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
      await measure(server, { origin, options, folder });
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
    sample: resolveName(0, options),
    processes: 1,
  };
  const command = [process.execPath, options.main, "serve", "--config", config] as const;
  return startServer("vitrine", command, { port, prefix: "/iiif/3", setup });
};

/** The identifier of an object for this number. */
const resolveName = (number: number, { picture }: Pick<Options, "picture">): string =>
  encodeURIComponent(`${number}/${basename(picture)}`);

const measure = async (
  server: Running,
  {
    origin,
    options,
    folder,
  }: { readonly origin: Origin; readonly options: Options; readonly folder: string },
): Promise<void> => {
  const rows: Row[] = [];
  const row = async (what: string, work: () => Promise<{ readonly bytes: number }>) => {
    origin.traffic();
    const began = performance.now();
    const { bytes } = await work();
    rows.push({ what, ...origin.traffic(), answered: bytes, ms: performance.now() - began });
  };
  let image: BenchImage = await imageOf(server.base, resolveName(1, options));
  await row("info.json, nothing known", async () => {
    return get(server, `/iiif/3/${resolveName(2, options)}/info.json`);
  });
  const tiles = someTiles(image, 21);
  const at = (number: number, index: number): string =>
    (tiles[index] ?? "").replace(resolveName(1, options), resolveName(number, options));
  await row("first tile, nothing known", () => get(server, at(3, 0)));
  for (let index = 1; index < tiles.length; index++)
    await row("further tile", () => get(server, at(3, index)));
  process.stdout.write(`${table(summed(rows))}\n`);

  image = await imageOf(server.base, resolveName(4, options));
  const paths = lists.viewer([{ ...image, path: `/iiif/3/${resolveName(5, options)}` }], {
    count: options.tiles,
    seed: 1,
  });
  const { clients } = options;
  const session = await runSession(server.base, paths, { clients, origin });
  const began = performance.now();
  const whole = await fetch(`${origin.base.origin}/6/${basename(options.picture)}`);
  const { byteLength } = await whole.arrayBuffer();
  const fetching = (performance.now() - began) / 1_000;
  say(`\nSession, ${clients} clients: ${describeSession(session)}`);
  say(
    `Fetching the object: ${fetching.toFixed(2)} s, ${kibibytes(byteLength)} KiB: ${(fetching / session.seconds).toFixed(1)} times the session`,
  );
  if (options.rivalRequests > 0) await besideRival(server, { origin, options, folder, paths });
};

/** The beginning of the same session here and on iiif-processor, each on a new object. */
const besideRival = async (
  server: Running,
  {
    origin,
    options,
    folder,
    paths,
  }: {
    readonly origin: Origin;
    readonly options: Options;
    readonly folder: string;
    readonly paths: readonly string[];
  },
): Promise<void> => {
  const begin = (number: number, prefix: string): readonly string[] =>
    paths
      .slice(0, options.rivalRequests)
      .map((path) =>
        path
          .replace(
            `/iiif/3/${resolveName(5, options)}`,
            `${prefix}/${resolveName(number, options)}`,
          )
          .replace("/max/", prefix === "/iiif/2" ? "/full/" : "/max/"),
      );
  const { clients } = options;
  const own = await runSession(server.base, begin(7, "/iiif/3"), { clients, origin });
  const rival = await rivalSession({
    version: options.rivalVersion,
    folder,
    origin,
    sample: resolveName(8, options),
    paths: begin(8, "/iiif/2"),
    clients,
  });
  say(`\nVitrine: ${describeSession(own)}`);
  say(`iiif-processor ${options.rivalVersion}: ${describeSession(rival)}`);
  say(`${(rival.seconds / own.seconds).toFixed(1)} times the time`);
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
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
    const max = (of: (row: Row) => number): number => Math.max(...alike.map(of));
    return {
      what: alike.length > 1 ? `${what} (worst of ${alike.length})` : what,
      requests: max(({ requests }) => requests),
      bytes: max(({ bytes, answered }) => (alike.length > 1 ? bytes - answered : bytes)),
      answered: max(({ answered }) => answered),
      ms: max(({ ms }) => ms),
    };
  });
};

const table = (rows: readonly Row[]): string =>
  [
    "| what | requests | KiB read (further tiles: beyond the answer) | KiB answered | ms |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...rows.map(
      ({ what, requests, bytes, answered, ms }) =>
        `| ${what} | ${requests} | ${kibibytes(bytes)} | ${kibibytes(answered)} | ${ms.toFixed(0)} |`,
    ),
  ].join("\n");

const get = async (server: Running, path: string): Promise<{ readonly bytes: number }> => {
  const response = await fetch(`${server.base.origin}${path}`, {
    signal: AbortSignal.timeout(60_000),
  });
  const body = await response.arrayBuffer();
  if (!response.ok) throw new Error(`Expected ${path}, got status ${response.status}`);
  return { bytes: body.byteLength };
};

await main(process.argv.slice(2));
