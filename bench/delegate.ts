import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { imageOf } from "./image.ts";
import { lists } from "./lists.ts";
import { drawPyramid } from "./own-pictures.ts";
import { type OwnServer, startOwn } from "./own-server.ts";
import { processorTimeOf } from "./processor-time.ts";
import { replay } from "./replay.ts";
import { percentile } from "./statistics.ts";

const usage = `Compares hot tiles of a built server with and without a delegate that answers authorize.

  npm run bench:delegate -- [options]

  --main FILE      the built server                        (dist/cli/main.js)
  --delegate FILE  the delegate                            (one in JavaScript that looks at a cookie)
  --rounds N       how often both are asked in turn        (15)
  --seconds N      how long each is asked in a round       (1)
  --clients N      how many ask at the same time           (4)

Both have one worker and the same 64 tiles in memory. Prints the median of the rounds' ratios, by processor
time for each request and by requests a second, with their quartiles.
`;

interface Options {
  readonly main: string;
  readonly delegate: string | undefined;
  readonly rounds: number;
  readonly seconds: number;
  readonly clients: number;
}

const optionsOf = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      delegate: { type: "string" },
      rounds: { type: "string", default: "15" },
      seconds: { type: "string", default: "1" },
      clients: { type: "string", default: "4" },
    },
  });
  if (values.help) return undefined;
  return {
    main: values.main,
    delegate: values.delegate,
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    clients: Number(values.clients),
  };
};

const script = `export default class {
  authorize() {
    return this.context.cookies.user !== "eve";
  }
}
`;

const main = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-"));
  const servers: OwnServer[] = [];
  try {
    const picture = await drawPyramid(folder, { width: 4_000, height: 3_000, compression: "jpeg" });
    const path = options.delegate ?? join(folder, "delegate.mjs");
    if (options.delegate === undefined) await writeFile(path, script);
    const start = async (settings: Readonly<Record<string, string | number | boolean>>) => {
      const server = await startOwn({
        main: options.main,
        pictures: { [name]: picture },
        settings: { "http.workers": 1, "log.application.level": "error", ...settings },
      });
      servers.push(server);
      return server;
    };
    const without = await start({});
    const asked = await start({
      "delegate_script.enabled": true,
      "delegate_script.pathname": path,
    });
    await measure({ without, asked }, options);
  } finally {
    for (const server of servers) await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
};

const name = "picture.tif";

interface Servers {
  readonly without: OwnServer;
  readonly asked: OwnServer;
}

const measure = async (
  { without, asked }: Servers,
  { rounds, seconds, clients }: Options,
): Promise<void> => {
  const image = await imageOf(without.base, name);
  const [first = "", ...rest] = lists.tiles([image], { count: 64, seed: 1 });
  const run = (server: OwnServer): Promise<Round> =>
    roundOf(server, { paths: [first, ...rest], seconds, clients });
  // Fills the memory of both, and compiles their code.
  for (const server of [without, asked, without, asked]) await run(server);
  const costs: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // The first one alternates.
    const order = round % 2 === 0 ? [without, asked] : [asked, without];
    const results = new Map<OwnServer, Round>();
    for (const server of order) results.set(server, await run(server));
    const [one, other] = [results.get(without), results.get(asked)];
    if (!one || !other) continue;
    costs.push(other.microseconds / one.microseconds);
    rates.push(other.rate / one.rate);
    say(
      `${round + 1}: without ${described(one)}; with a delegate ${described(other)}; ratio ${(other.microseconds / one.microseconds).toFixed(3)}`,
    );
  }
  say(`processor time with / without: ${quartiles(costs)}`);
  say(`requests a second with / without: ${quartiles(rates)}`);
};

interface Round {
  /** Requests a second. */
  readonly rate: number;
  /** Of processor time for each request. */
  readonly microseconds: number;
}

const roundOf = async (
  { base, pid }: OwnServer,
  {
    paths,
    seconds,
    clients,
  }: {
    readonly paths: readonly [string, ...string[]];
    readonly seconds: number;
    readonly clients: number;
  },
): Promise<Round> => {
  const before = (await processorTimeOf(pid)) ?? Number.NaN;
  const load = { base, clients, seconds, requests: Number.POSITIVE_INFINITY };
  const { times, statuses, ...took } = await replay(paths, {
    ...load,
    timeout: 10_000,
    headers: {},
  });
  const answered = statuses["200"] ?? 0;
  if (answered !== times.length || answered === 0)
    throw new Error(`Expected nothing but 200, got ${JSON.stringify(statuses)}`);
  const spent = ((await processorTimeOf(pid)) ?? Number.NaN) - before;
  return { rate: answered / took.seconds, microseconds: (spent * 1_000) / answered };
};

const described = ({ rate, microseconds }: Round): string =>
  `${microseconds.toFixed(1)} us, ${rate.toFixed(0)}/s`;

const quartiles = (values: readonly number[]): string => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): string => percentile(sorted, share).toFixed(3);
  return `${at(50)} (quartiles ${at(25)} to ${at(75)})`;
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await main(process.argv.slice(2));
