import { spawn } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Connection } from "./connection.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { instructionsDuring } from "./instructions.ts";
import { startOwn } from "./own-server.ts";
import { processorTimeOf } from "./processor-time.ts";
import { freePort } from "./rivals/server.ts";
import { tilePath, tilesOver } from "./tiles.ts";

const usage = `Compares the processor time per tile with that of a bare node:http server that sends the same
stored tiles, in alternated rounds; and the instructions, where perf can count them.

  npm run bench:hot-path -- PYRAMID [options]

  PYRAMID           a little-endian TIFF with JPEG tiles and one page per level
  --main FILE       a built server; may be given several times (dist/cli/main.js)
  --rounds N        rounds, of which the median counts (7)
  --requests N      requests per round and server (8000)
  --warmup N        requests per server before the rounds (30000): V8 compiles while it runs
  --setting K=V     a key of the configuration; may be given several times
`;

interface Contender {
  readonly name: string;
  readonly base: URL;
  readonly pid: number;
  stop(): Promise<void>;
}

const main = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", multiple: true, default: ["dist/cli/main.js"] },
      rounds: { type: "string", default: "7" },
      requests: { type: "string", default: "8000" },
      warmup: { type: "string", default: "30000" },
      setting: { type: "string", multiple: true, default: [] },
    },
  });
  const [picture] = positionals;
  if (values.help || picture === undefined) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const settings = Object.fromEntries(values.setting.map(settingOf));
  const contenders: Contender[] = [];
  try {
    for (const path of values.main) contenders.push(await startVitrine(path, picture, settings));
    const [first] = contenders;
    if (first === undefined) throw new Error("Expected --main FILE");
    const image = await imageOf(first.base, basename(picture));
    contenders.push(await startBare(resolve(picture)));
    const paths = pathsOf(image);
    const times = new Map(contenders.map((one) => [one, [] as Cost[]]));
    for (const one of contenders) await load(one, paths, whole(values.warmup));
    for (let round = 0; round < whole(values.rounds); round++)
      for (const one of round % 2 === 0 ? contenders : contenders.toReversed())
        times.get(one)?.push(await costOf(one, paths, whole(values.requests)));
    report(times);
  } finally {
    for (const one of contenders) await one.stop();
  }
};

const settingOf = (text: string): [string, string] => {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`Expected --setting KEY=VALUE, got "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
};

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`Expected a positive number, got "${text}"`);
  return Number(text);
};

const startVitrine = async (
  path: string,
  picture: string,
  settings: Readonly<Record<string, string>>,
): Promise<Contender> => {
  const { base, pid, remove } = await startOwn({
    main: path,
    pictures: { [basename(picture)]: resolve(picture) },
    settings: {
      "http.workers": 1,
      "cache.server.derivative.enabled": false,
      "log.application.level": "warn",
      ...settings,
    },
  });
  return { name: path, base, pid, stop: remove };
};

const startBare = async (picture: string): Promise<Contender> => {
  const port = await freePort();
  const script = new URL("bare-tiles.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, dirname(picture), String(port)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const base = new URL(`http://127.0.0.1:${port}`);
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(base, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (answer !== undefined) break;
    if (attempt > 400) throw new Error("The bare server did not start.");
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    name: "bare node:http",
    base,
    pid: child.pid ?? 0,
    stop: async () => void child.kill(),
  };
};

/** All complete tiles of the three largest levels, in an order that defeats read-ahead. */
const pathsOf = (image: BenchImage): readonly string[] => {
  const page = { x: 0, y: 0, width: image.width, height: image.height };
  const paths = image.scaleFactors.slice(0, 3).flatMap((factor) =>
    tilesOver(image, factor, page)
      // Tiles at the edges are cut and encoded anew.
      .filter(
        ({ column, row }) =>
          (column + 1) * image.tileWidth * factor <= image.width &&
          (row + 1) * image.tileHeight * factor <= image.height,
      )
      .map((tile) => tilePath(image, tile)),
  );
  return paths.map((_, at) => paths[(at * 7_919) % paths.length] ?? "");
};

/** The cost of one request. */
interface Cost {
  /** Microseconds of processor time. */
  readonly time: number;
  /** Undefined where nothing counts them. */
  readonly instructions: number | undefined;
}

const costOf = async (
  contender: Contender,
  paths: readonly string[],
  requests: number,
): Promise<Cost> => {
  const { pid } = contender;
  let time = Number.NaN;
  const instructions = await instructionsDuring(pid, async () => {
    const before = (await processorTimeOf(pid)) ?? Number.NaN;
    await load(contender, paths, requests);
    time = ((((await processorTimeOf(pid)) ?? Number.NaN) - before) * 1_000) / requests;
  });
  return { time, instructions: instructions && instructions / requests };
};

/** Requests tiles; fails on any other status than 200. */
const load = async (
  { base }: Contender,
  paths: readonly string[],
  requests: number,
): Promise<void> => {
  const options = { base, timeout: 30_000, headers: {} };
  const connections = Array.from({ length: clients }, () => new Connection(options));
  let asked = 0;
  // This process never sleeps meanwhile: waking it would be charged to the server, and the faster
  // server would have to do so less often.
  let running = true;
  const spin = (): void => {
    if (running) setImmediate(spin);
  };
  spin();
  await Promise.all(
    connections.map(async (connection) => {
      while (asked < requests) {
        const path = paths[asked++ % paths.length] ?? "";
        const { status } = await connection.ask(path);
        if (status !== "200") throw new Error(`${path} got status ${status}`);
      }
    }),
  );
  running = false;
  for (const connection of connections) connection.close();
};

const clients = 4;

const report = (costs: ReadonlyMap<Contender, readonly Cost[]>): void => {
  const medians = [...costs].map(([{ name }, all]) => ({
    name,
    time: spreadOf(all.map(({ time }) => time)),
    instructions: spreadOf(all.flatMap(({ instructions }) => instructions ?? [])),
  }));
  const bare = medians.at(-1);
  for (const { name, time, instructions } of medians)
    process.stdout.write(
      `${name}: ${spread(time)} µs per tile, ${ratio(time, bare?.time)} of bare${
        instructions === undefined
          ? ""
          : `; ${spread(instructions, 1_000)} thousand instructions, ${ratio(instructions, bare?.instructions)} of bare`
      }\n`,
    );
};

interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

const spread = (of: Spread | undefined, unit = 1): string =>
  of === undefined
    ? "?"
    : `${(of.median / unit).toFixed(0)} (${(of.min / unit).toFixed(0)} to ${(of.max / unit).toFixed(0)})`;

const ratio = (one: Spread | undefined, other: Spread | undefined): string =>
  ((one?.median ?? Number.NaN) / (other?.median ?? Number.NaN)).toFixed(2);

const spreadOf = (all: readonly number[]): Spread | undefined => {
  const sorted = all.toSorted((a, b) => a - b);
  const [min, median, max] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
  return min === undefined || median === undefined || max === undefined
    ? undefined
    : { min, median, max };
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
