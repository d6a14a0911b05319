import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import {
  allCorpusFiles,
  corpusFolder,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../test/corpus.ts";
import { type MemoryGroup, memoryGroup, noGroups } from "./cgroup.ts";
import { mixedLoad } from "./mixed-load.ts";
import { drawPhotos, drawPyramid } from "./own-pictures.ts";
import { startOwn } from "./own-server.ts";
import { type Replay, replay } from "./replay.ts";
import { latency } from "./statistics.ts";

const usage = `Serves pictures of all formats, hostile ones among them, in a control group of so much memory.

  npm run bench:memory -- [options]

  --main FILE      the built server                 (dist/cli/main.js)
  --limit SIZE     memory of the group: 512M, 1G    (1G)
  --seconds N      how long                         (60)
  --clients N      how many ask at the same time    (12)
  --seed N         where the dice start             (1)
  --only TEXT      files whose path contains it     (all)
  --set KEY=VALUE  another setting of the server; may be given several times

The pictures are the corpus beside the checkout and some of 12 to 63 megapixels that are drawn for it. A sixth of
the requests is for hostile files. Ends with 1 where a process was killed or a worker ended, or a connection was refused or
reset, or an answer took more than a minute. It takes root, and control groups.
`;

interface Options {
  readonly main: string;
  readonly limit: number;
  readonly seconds: number;
  readonly clients: number;
  readonly seed: number;
  readonly only: string;
  readonly set: Readonly<Record<string, string>>;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      limit: { type: "string", default: "1G" },
      seconds: { type: "string", default: "60" },
      clients: { type: "string", default: "12" },
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  if (values.help) return undefined;
  return {
    main: values.main,
    limit: size(values.limit),
    seconds: whole("seconds", values.seconds),
    clients: whole("clients", values.clients),
    seed: whole("seed", values.seed),
    only: values.only,
    set: Object.fromEntries(values.set.map(setting)),
  };
};

const size = (given: string): number => {
  const [, number, unit] = /^(\d+)([MG])$/.exec(given) ?? [];
  if (number === undefined) throw new Error(`Expected a size such as 512M or 1G, got "${given}"`);
  return Number(number) * 2 ** (unit === "G" ? 30 : 20);
};

const whole = (name: string, given: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(given))
    throw new Error(`Expected a whole number for --${name}, got "${given}"`);
  return Number(given);
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
  if (!corpusIsHere) throw new Error(corpusIsMissing);
  const group = await memoryGroup(options.limit);
  if (group === undefined) throw new Error(noGroups);
  const folder = await mkdtemp(join(tmpdir(), "vitrine-limited-"));
  try {
    process.exitCode = (await run(group, folder, options)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await group.remove();
  }
};

const run = async (group: MemoryGroup, folder: string, options: Options): Promise<boolean> => {
  const drawn = [
    ...(await drawPhotos(folder)),
    await drawPyramid(folder, { width: 9_000, height: 7_000, compression: "jpeg" }),
    await drawPyramid(folder, { width: 7_000, height: 5_000, compression: "deflate" }),
  ].filter((path) => path.includes(options.only));
  const files = allCorpusFiles().filter(({ path }) => path.includes(options.only));
  const hostile = files.filter(({ path }) => path.startsWith("malformed/"));
  const sound = files.filter((file) => !hostile.includes(file));
  const named = (paths: readonly string[]): Record<string, string> =>
    Object.fromEntries(paths.map((path) => [resolveName(path), path]));
  const good = named([...drawn, ...sound.map(corpusPath)]);
  const bad = named(hostile.map(corpusPath));
  const ended: string[] = [];
  const server = await startOwn({
    main: options.main,
    pictures: { ...good, ...bad },
    settings: {
      "processor.svg.enabled": true,
      "cache.server.derivative.enabled": true,
      "cache.server.derivative": "HeapCache",
      "log.application.level": "warn",
      ...options.set,
    },
    before: group.inside,
    onText: (text) => ended.push(...(text.match(/A worker ended[^\n]*/g) ?? [])),
  });
  let result: Replay;
  let held = 0;
  const timer = setInterval(() => {
    void group.held().then((now) => {
      held = Math.max(held, now);
    });
  }, lookMs);
  try {
    say(`started with ${mebibytes(await group.held())} held`);
    const paths = mixedLoad(
      { sound: Object.keys(good), hostile: Object.keys(bad) },
      { count: 20_000, seed: options.seed },
    );
    const { clients, seconds } = options;
    result = await replay(paths, {
      ...{ base: server.base, clients, seconds, headers: {} },
      requests: Number.POSITIVE_INFINITY,
      timeout: 60_000,
    });
  } finally {
    clearInterval(timer);
    await server.remove();
  }
  const kills = await group.kills();
  const { statuses, times } = result;
  const lost = Object.entries(statuses).filter(([status]) => !/^\d+$/.test(status));
  say(
    `${times.length} answers: ${Object.entries(statuses)
      .map(([status, count]) => `${status} × ${count}`)
      .join(", ")}`,
  );
  say(`milliseconds: ${JSON.stringify(latency(times))}`);
  say(
    `of ${mebibytes(options.limit)} at most ${mebibytes(held)} held, ${mebibytes(await group.peak())} with files in memory`,
  );
  say(
    `${kills} killed for want of memory, ${ended.length} workers ended, ${lost.length} kinds of lost requests`,
  );
  for (const line of ended) say(line);
  return kills === 0 && ended.length === 0 && lost.length === 0;
};

const lookMs = 100;

const resolveName = (path: string): string =>
  path.startsWith(corpusFolder)
    ? path.slice(corpusFolder.length).replaceAll("/", "-")
    : basename(path);

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
