import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Connection } from "../connection.ts";
import { imageOf } from "../image.ts";
import { memoryOf } from "../memory.ts";
import { type OwnServer, startOwn } from "../own-server.ts";
import { processorTimeOf } from "../processor-time.ts";
import { latency } from "../statistics.ts";
import { tilePath, tilesOver } from "../tiles.ts";
import { makeBoth } from "./making.ts";
import { readImages, type Session } from "./session.ts";

const usage = `Measures the pyramids that the server makes of JPEGs that are slow to zoom.

  npm run bench:pyramids -- making FILE...    processor time beside 'vips tiffsave'
  npm run bench:pyramids -- tiles FILE...     tiles before and after
  npm run bench:pyramids -- session FILE...   viewers of images never seen before, with and without

  --main FILE      a built server (dist/cli/main.js)
  --rounds N       of making, of which the median counts (3)
  --images N       of a session, under names of their own (200)
  --without N      of the session without pyramids, which takes long (24)
  --viewers N      at a time (8)
  --think MS       between a view and the next, on average (2000)
  --setting K=V    a key of the configuration; may be given several times
`;

const options = {
  help: { type: "boolean", short: "h" },
  main: { type: "string", default: "dist/cli/main.js" },
  rounds: { type: "string", default: "3" },
  images: { type: "string", default: "200" },
  without: { type: "string", default: "24" },
  viewers: { type: "string", default: "8" },
  think: { type: "string", default: "2000" },
  setting: { type: "string", multiple: true },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const main = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [kind = "", ...files] = positionals;
  const measure = { making, tiles, session }[kind];
  if (values.help || measure === undefined || files.length === 0) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-pyramids-"));
  try {
    await measure(
      files.map((file) => resolve(file)),
      { values, folder },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface Bench {
  readonly values: Values;
  /** A temporary one. */
  readonly folder: string;
}

const number = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`Expected a number, got "${text}"`);
  return Number(text);
};

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

const making = async (files: readonly string[], { values, folder }: Bench): Promise<void> => {
  for (const file of files) {
    const ratios: number[] = [];
    for (let round = 0; round < number(values.rounds); round++) {
      const { own, vips, bytes } = await makeBoth(file, { main: values.main, folder });
      ratios.push(own / vips);
      say(
        `${basename(file)}: ${own} ms, vips ${vips.toFixed(0)} ms: ${(own / vips).toFixed(2)} (${megabytes(bytes.own)} and ${megabytes(bytes.vips)} MB)`,
      );
    }
    say(`${basename(file)}: median ${median(ratios).toFixed(2)} of the processor time of vips`);
  }
};

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const start = (
  pictures: Readonly<Record<string, string>>,
  { values, folder }: Bench,
  settings: Readonly<Record<string, string | number | boolean>>,
): Promise<OwnServer> =>
  startOwn({
    main: values.main,
    pictures,
    settings: {
      "cache.server.derivative.enabled": false,
      "log.application.level": "warn",
      "pyramids.folder": folder,
      ...settings,
      ...Object.fromEntries((values.setting ?? []).map((one) => one.split("=", 2))),
    },
  });

/** The number of pyramids in a folder. */
const pyramidsIn = async (folder: string): Promise<number> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tif")).length;

const tiles = async (files: readonly string[], bench: Bench): Promise<void> => {
  for (const file of files) {
    const before = await tilesOf(file, bench, { isHealed: false });
    const after = await tilesOf(file, bench, { isHealed: true });
    say(
      `${basename(file)}: ${before.cpu.toFixed(1)} ms of processor time a tile, then ${after.cpu.toFixed(2)}: ${(before.cpu / after.cpu).toFixed(0)} times as fast; by the clock, one at a time, ${before.p50.toFixed(1)} and ${after.p50.toFixed(2)} ms: ${(before.p50 / after.p50).toFixed(0)} times`,
    );
  }
};

/** Requests for tiles of the largest level, and per-request costs in milliseconds. */
const tilesOf = async (
  file: string,
  bench: Bench,
  { isHealed }: { readonly isHealed: boolean },
): Promise<{ readonly cpu: number; readonly p50: number }> => {
  const server = await start({ "picture.jpg": file }, bench, { "pyramids.enabled": isHealed });
  const connection = new Connection({ base: server.base, timeout: 60_000, headers: {} });
  try {
    const image = await imageOf(server.base, "picture.jpg");
    const page = { x: 0, y: 0, width: image.width, height: image.height };
    const paths = tilesOver(image, 1, page).map((tile) => tilePath(image, tile));
    const path = (at: number): string => paths[(at * 7_919) % paths.length] ?? "";
    const ask = async (at: number): Promise<number> => {
      const { status, milliseconds = Number.NaN } = await connection.ask(path(at));
      if (status !== "200") throw new Error(`${path(at)} got status ${status}`);
      return milliseconds;
    };
    for (let at = 0; isHealed && (await pyramidsIn(bench.folder)) === 0; at++) await ask(at);
    const count = isHealed ? 3_000 : 60;
    if (isHealed) for (let at = 0; at < count; at++) await ask(at);
    const began = (await processorTimeOf(server.pid)) ?? Number.NaN;
    const times: number[] = [];
    for (let at = 0; at < count; at++) times.push(await ask(at));
    const cpu = (((await processorTimeOf(server.pid)) ?? Number.NaN) - began) / count;
    return { cpu, p50: latency(times).p50 };
  } finally {
    connection.close();
    await server.remove();
    for (const name of await readdir(bench.folder))
      await rm(join(bench.folder, name), { recursive: true, force: true });
  }
};

const session = async (files: readonly string[], bench: Bench): Promise<void> => {
  const { values } = bench;
  const before = await sessionOf(files, bench, { isHealed: false, count: number(values.without) });
  const after = await sessionOf(files, bench, { isHealed: true, count: number(values.images) });
  say(
    `p95 of tiles: ${(before.p95 / after.p95).toFixed(1)} times as fast with pyramids as without`,
  );
};

const sessionOf = async (
  files: readonly string[],
  bench: Bench,
  { isHealed, count }: { readonly isHealed: boolean; readonly count: number },
): Promise<{ readonly p95: number }> => {
  const { values, folder } = bench;
  const names = Array.from({ length: count }, (_, at) => `picture-${at}.jpg`);
  const pictures = Object.fromEntries(
    names.map((name, at) => [name, files[at % files.length] ?? ""]),
  );
  const server = await start(pictures, bench, { "pyramids.enabled": isHealed });
  const stop = new AbortController();
  let peak = 0;
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      peak = Math.max(peak, (await memoryOf(server.pid))?.resident ?? 0);
      await pause(500);
    }
  };
  const watched = watch();
  try {
    const began = performance.now();
    const done: Session = await readImages({
      ...{ base: server.base, names },
      ...{ viewers: number(values.viewers), thinkMs: number(values.think) },
    });
    const times = done.views.flat();
    const { p50, p95, p99, max } = latency(times);
    const made = isHealed ? `, ${await pyramidsIn(folder)} pyramids` : "";
    say(
      `${isHealed ? "with" : "without"} pyramids: ${count} images, ${times.length} tiles in ${((performance.now() - began) / 1_000).toFixed(0)} s${made}; p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(0)}, p99 ${p99.toFixed(0)}, longest ${max.toFixed(0)} ms; statuses ${JSON.stringify(done.statuses)}; at most ${(peak / 2 ** 20).toFixed(0)} MiB resident in all processes`,
    );
    const byView = done.views.map((view) => {
      const { p50, p95 } = latency(view);
      return `${p50.toFixed(0)}/${p95.toFixed(0)} (${view.length})`;
    });
    say(`  p50/p95 of each view of an image, in ms, and its tiles: ${byView.join(", ")}`);
    return { p95 };
  } finally {
    stop.abort();
    await watched;
    await server.remove();
  }
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
