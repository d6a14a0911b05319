import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  allCorpusFiles,
  type CorpusFile,
  corpusFolder,
  corpusIsHere,
  corpusIsMissing,
} from "../test/corpus.ts";
import { ask, pathOf } from "./corpus/client.ts";
import { canary, lookOn, type Seen } from "./corpus/onlooker.ts";
import { between, report } from "./corpus/report.ts";
import { judge, type Verdict } from "./corpus/verdict.ts";
import { dpi } from "./corpus/wanted.ts";
import { familyOf } from "./memory.ts";
import { freePort, type Running, startServer } from "./rivals/server.ts";
import { percentile } from "./statistics.ts";

const usage = `Serves the corpus of real and hostile pictures and compares what comes back with its manifest.

  npm run corpus -- [options]

  --main FILE    the built server                        (dist/cli/main.js)
  --only TEXT    files whose path contains it            (all)
  --write        writes the table into docs/formats.md
  --port N       where it serves                         (any free port)

Of every file: info.json, a small picture of every page, their sizes, the number of pages, and the
colours of sixteen cells. While the hostile files are asked for, another client goes on asking for
good tiles. Ends with 1 where anything is wrong, an answer takes more than ten seconds, the server
more than 1 GB, or a process of it ends.
`;

const page = "docs/formats.md";

/** An image for checking that the server serves. */
const sample = "tiff/pyramid/caillebotte.tif";

/** A whole number of tiles from one image, far from all hostile ones. */
const good = Array.from({ length: 12 }, (_, n) =>
  pathOf(sample, 1, `${n * 256},1024,256,256/256,256/0/default.jpg`),
);

/** Everything that can be enabled. */
const settings: Readonly<Record<string, string | number | boolean>> = {
  "processor.svg.enabled": true,
  "processor.dpi": dpi,
  "log.application.level": "warn",
};

const longestMs = 10_000;
const maxMemory = 2 ** 30;

const start = async (main: string, folder: string, port: number): Promise<Running> => {
  const config = join(folder, "vitrine.properties");
  const lines = Object.entries({
    "http.host": "127.0.0.1",
    "http.port": port,
    "FilesystemSource.BasicLookupStrategy.path_prefix": corpusFolder,
    ...settings,
  });
  await writeFile(config, lines.map(([key, value]) => `${key} = ${value}\n`).join(""));
  return startServer("vitrine", [process.execPath, resolve(main), "serve", "--config", config], {
    port,
    prefix: "/iiif/3",
    setup: { folder, pictures: corpusFolder, sample: encodeURIComponent(sample), processes: 1 },
  });
};

const judgeAll = async (
  base: URL,
  files: readonly CorpusFile[],
  begin: (path: string) => void = () => {},
): Promise<readonly Verdict[]> => {
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const began = performance.now();
    begin(file.path);
    const verdict = await judge(base, file);
    verdicts.push(verdict);
    const took = performance.now() - began;
    if (verdict.outcome === "wrong" || verdict.outcome === "unread" || took > longestMs / 2)
      process.stdout.write(
        `${verdict.outcome} ${file.path}: ${verdict.why ?? ""} (${Math.round(took)} ms)\n`,
      );
  }
  return verdicts;
};

/** The hostile ones, each requested once, one after the other, beside good ones. */
const seeHostile = async (
  { base, pid }: Running,
  files: readonly CorpusFile[],
): Promise<{ readonly verdicts: readonly Verdict[]; readonly faults: readonly string[] }> => {
  const usual = await lookOn({ base, pid, paths: good }, async () => {
    await new Promise((done) => setTimeout(done, usualMs));
  });
  const before = await familyOf(pid);
  const bird = await canary();
  let verdicts: readonly Verdict[] = [];
  const slow: string[] = [];
  let doing = "";
  const seen = await lookOn({ base, pid, paths: good, doing: () => doing }, async () => {
    for (const { path } of files) {
      doing = path;
      const { milliseconds } = await ask(base, pathOf(path, 1, "full/!256,256/0/default.jpg"));
      if (milliseconds > longestMs) slow.push(`${path} took ${Math.round(milliseconds)} ms`);
    }
    verdicts = await judgeAll(base, files, (path) => {
      doing = path;
    });
  });
  bird?.close();
  say("usually", usual);
  say("meanwhile", seen);
  const after = await familyOf(pid);
  const faults = [
    ...slow,
    ...(seen.lost > 0 ? [`${seen.lost} good requests were not answered`] : []),
    ...(seen.memory > maxMemory ? [`${seen.memory} bytes of memory`] : []),
    ...before.filter((one) => !after.includes(one)).map((one) => `process ${one} ended`),
    ...(bird && bird.calls() > 0 ? [`${bird.calls()} calls to port 9`] : []),
    ...(bird ? [] : ["nobody could listen at port 9"]),
  ];
  return { verdicts, faults };
};

const usualMs = 5_000;

const say = (when: string, { waits, lost, memory, doing }: Seen): void => {
  const sorted = [...waits].sort((one, other) => one - other);
  const at = (part: number): string => `${percentile(sorted, part).toFixed(1)} ms`;
  process.stdout.write(
    `Good tiles ${when}: ${waits.length}, median ${at(50)}, 95 % ${at(95)}, 99 % ${at(99)}, worst ${at(100)}, ${lost} lost; memory at most ${Math.round(memory / 2 ** 20)} MB${doing ? ` (${doing})` : ""}\n`,
  );
};

const main = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      only: { type: "string", default: "" },
      write: { type: "boolean", default: false },
      port: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (!corpusIsHere) throw new Error(corpusIsMissing);
  const files = allCorpusFiles().filter(({ path }) => path.includes(values.only));
  const hostile = files.filter(({ path }) => path.startsWith("malformed/"));
  const folder = await mkdtemp(join(tmpdir(), "vitrine-corpus-"));
  try {
    const port = values.port === undefined ? await freePort() : Number(values.port);
    // Each kind has a server of its own: the memory used by good images is irrelevant for hostile
    // ones.
    const serve = async <T>(work: (server: Running) => Promise<T>): Promise<T> => {
      const server = await start(values.main, folder, port);
      try {
        return await work(server);
      } finally {
        await server.stop();
      }
    };
    const sound = files.filter((file) => !hostile.includes(file));
    const verdicts = sound.length > 0 ? await serve(({ base }) => judgeAll(base, sound)) : [];
    const seen =
      hostile.length > 0
        ? await serve((server) => seeHostile(server, hostile))
        : { verdicts: [], faults: [] };
    const all = [...verdicts, ...seen.verdicts];
    const text = report(all);
    process.stdout.write(`\n${text}\n`);
    for (const fault of seen.faults) process.stdout.write(`Fault: ${fault}\n`);
    if (values.write && values.only === "")
      await writeFile(page, between(await readFile(page, "utf8"), "corpus", text));
    const isRight = seen.faults.length === 0 && all.every(({ outcome }) => outcome !== "wrong");
    process.exitCode = isRight ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

await main(process.argv.slice(2));
