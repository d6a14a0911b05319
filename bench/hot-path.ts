import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Connection } from "./connection.ts";
import { type BenchImage, imageOf } from "./image.ts";
import { startOwn } from "./own-server.ts";
import { processorTimeOf } from "./processor-time.ts";
import { freePort } from "./rivals/server.ts";
import { tilePath, tilesOver } from "./tiles.ts";

const usage = `Compares the processor time per stored tile with that of a bare node:http server that does
the same file work, in alternated rounds.

  npm run bench:hot-path -- PYRAMID [options]

  PYRAMID           a little-endian TIFF with JPEG tiles and one page per level
  --main FILE       a built server; may be given several times (dist/cli/main.js)
  --rounds N        rounds, of which the median counts (7)
  --requests N      requests per round and server (8000)
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
    const image = await imageOf(contenders[0]?.base ?? new URL("http://localhost"), name);
    contenders.push(await startBare(resolve(picture), image));
    const paths = pathsOf(image);
    const times = new Map(contenders.map((one) => [one, [] as number[]]));
    for (const one of contenders) await load(one, paths, whole(values.requests));
    for (let round = 0; round < whole(values.rounds); round++)
      for (const one of round % 2 === 0 ? contenders : contenders.toReversed())
        times.get(one)?.push(await load(one, paths, whole(values.requests)));
    report(times);
  } finally {
    for (const one of contenders) await one.stop();
  }
};

const name = "picture.tif";

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
    pictures: { [name]: resolve(picture) },
    settings: {
      "http.workers": 1,
      "cache.server.derivative.enabled": false,
      "log.application.level": "warn",
      ...settings,
    },
  });
  return { name: path, base, pid, stop: remove };
};

const startBare = async (picture: string, image: BenchImage): Promise<Contender> => {
  const port = await freePort();
  const script = new URL("bare-tiles.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, picture, String(port), image.path], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const base = new URL(`http://127.0.0.1:${port}`);
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(base, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (answer !== undefined) break;
    if (attempt > 100) throw new Error("The bare server did not start.");
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
  const paths = image.scaleFactors
    .slice(0, 3)
    .flatMap((factor) => tilesOver(image, factor, page).map((tile) => tilePath(image, tile)));
  return paths.map((_, at) => paths[(at * 7_919) % paths.length] ?? "");
};

/** Microseconds of processor time per request; fails on any other status than 200. */
const load = async (
  { base, pid }: Contender,
  paths: readonly string[],
  requests: number,
): Promise<number> => {
  const options = { base, timeout: 30_000, headers: {} };
  const connections = Array.from({ length: clients }, () => new Connection(options));
  let asked = 0;
  const before = (await processorTimeOf(pid)) ?? Number.NaN;
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
  return ((((await processorTimeOf(pid)) ?? Number.NaN) - before) * 1_000) / requests;
};

const clients = 4;

const report = (times: ReadonlyMap<Contender, readonly number[]>): void => {
  const medians = [...times].map(([{ name }, all]) => ({ name, ...spreadOf(all) }));
  const bare = medians.at(-1)?.median ?? Number.NaN;
  for (const { name, min, median, max } of medians)
    process.stdout.write(
      `${name}: ${median.toFixed(0)} µs per tile (${min.toFixed(0)} to ${max.toFixed(0)}), ${(median / bare).toFixed(2)} of bare\n`,
    );
};

const spreadOf = (all: readonly number[]): { min: number; median: number; max: number } => {
  const sorted = all.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  return { min, median: sorted[sorted.length >> 1] ?? 0, max };
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
