import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allBombs } from "../test/malformed/bombs/all.ts";
import { bounds, faultsOf, table } from "./hostile/report.ts";
import { type Trial, tryPicture } from "./hostile/trial.ts";
import { drawPyramid } from "./own-pictures.ts";
import { startOwn } from "./own-server.ts";

const usage = `Asks a built server for pictures that are made to take its time or its memory.

  npm run bench:hostile -- [options]

  --main FILE   the built server              (dist/cli/main.js)
  --only TEXT   bombs whose name contains it  (all)
  --port N      where it serves               (any free port)

Of each bomb: info.json, full/!500,500, a tile and full/max, one after the other, while another client goes on asking
for good tiles. Ends with 1 where an answer takes more than ${bounds.processorMs / 1_000} s of processor time, a good
tile waits for more than ${bounds.waitMs / 1_000} s or is refused, a worker ends, or an answer is a fault of the server.
`;

const main = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      only: { type: "string", default: "" },
      port: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "vitrine-hostile-"));
  try {
    const bombs = allBombs.filter(({ name }) => name.includes(values.only));
    const pictures: Record<string, string> = {
      [good]: await drawPyramid(folder, { width: 2_048, height: 2_048, compression: "deflate" }),
    };
    for (const { name, make } of bombs) {
      pictures[name] = join(folder, name);
      await writeFile(pictures[name], await make());
    }
    const server = await startOwn({
      main: values.main,
      pictures,
      settings: { "processor.svg.enabled": true, "log.application.level": "warn" },
      port: values.port === undefined ? undefined : Number(values.port),
    });
    const trials: Trial[] = [];
    try {
      const tried = { base: server.base, pid: server.pid, good: goodTiles };
      for (const { name, page = 1 } of bombs) {
        const trial = await tryPicture(tried, name, { page });
        trials.push(trial);
        process.stdout.write(`${table([trial])}\n`);
      }
    } finally {
      await server.remove();
    }
    const faults = trials.flatMap(faultsOf);
    process.stdout.write(`\n${trials.length} bombs, ${faults.length} faults\n`);
    for (const fault of faults) process.stdout.write(`Fault: ${fault}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const good = "good.tif";

/** Tiles that have to be rendered. */
const goodTiles = Array.from(
  { length: 49 },
  (_, n) =>
    `/iiif/3/${good}/${(n % 7) * 256 + 7},${Math.floor(n / 7) * 256 + 5},256,256/200,/0/default.jpg`,
);

await main(process.argv.slice(2));
