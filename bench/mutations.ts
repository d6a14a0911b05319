import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { allCorpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../test/corpus.ts";
import { random } from "../test/random.ts";
import { mutated } from "./hostile/mutate.ts";
import { faultsOf, table } from "./hostile/report.ts";
import { type Trial, tryPicture } from "./hostile/trial.ts";
import { drawPyramid } from "./own-pictures.ts";
import { startOwn } from "./own-server.ts";
import { percentile } from "./statistics.ts";

const usage = `Asks a built server for damaged copies of the corpus.

  npm run bench:mutations -- [options]

  --main FILE    the built server                    (dist/cli/main.js)
  --count N      how many damaged files there are    (2000)
  --seed N       which                               (1)
  --largest N    bytes of a file that is damaged     (1000000)
  --keep FOLDER  keeps those that something is wrong with
  --port N       where it serves                     (any free port)

Each is asked for in four ways, as by bench:hostile, and the same must hold. Bits are flipped, bytes set, ends cut off, blocks
swapped, lengths changed, and stretches left out or doubled.
`;

/** The outcomes of all files of a format. */
interface Sum {
  files: number;
  shown: number;
  refused: number;
  /** Shown in some of the ways, and rejected in others. */
  mixed: number;
  faults: number;
  readonly processorMs: number[];
}

const newSum = (): Sum => ({
  files: 0,
  shown: 0,
  refused: 0,
  mixed: 0,
  faults: 0,
  processorMs: [],
});

const add = (sum: Sum, { replies }: Trial, faults: number): void => {
  const pictures = replies.slice(1).map(({ status }) => status === 200);
  sum.files++;
  sum.faults += faults;
  if (pictures.every((isShown) => isShown)) sum.shown++;
  else if (pictures.some((isShown) => isShown)) sum.mixed++;
  else sum.refused++;
  sum.processorMs.push(...replies.map(({ processorMs }) => processorMs));
};

const report = (sums: ReadonlyMap<string, Sum>): string =>
  [
    "| format | files | shown | refused | mixed | faults | processor time, worst |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...[...sums].sort().map(([format, { files, shown, refused, mixed, faults, processorMs }]) => {
      const worst = percentile(
        [...processorMs].sort((one, other) => one - other),
        100,
      );
      return `| ${format} | ${files} | ${shown} | ${refused} | ${mixed} | ${faults} | ${(worst / 1_000).toFixed(2)} s |`;
    }),
  ].join("\n");

const main = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      main: { type: "string", default: "dist/cli/main.js" },
      count: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      largest: { type: "string", default: "1000000" },
      keep: { type: "string" },
      port: { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (!corpusIsHere) throw new Error(corpusIsMissing);
  const folder = await mkdtemp(join(tmpdir(), "vitrine-mutations-"));
  try {
    const numbers = random(Number(values.seed));
    const originals = await smallOnes(Number(values.largest));
    const good = "good.tif";
    const pictures: Record<string, string> = {
      [good]: await drawPyramid(folder, { width: 1_024, height: 1_024, compression: "deflate" }),
    };
    const files: { readonly name: string; readonly about: string; readonly format: string }[] = [];
    for (let number = 0; number < Number(values.count); number++) {
      const { path, format } = originals[number % originals.length] ?? { path: "", format: "" };
      const { bytes, way } = mutated(await readFile(path), numbers);
      const name = `${number}${extname(path)}`;
      pictures[name] = join(folder, name);
      await writeFile(pictures[name], bytes);
      files.push({
        name,
        about: `${name} (${way} of ${path.split("/").slice(-2).join("/")})`,
        format,
      });
    }
    const server = await startOwn({
      main: values.main,
      pictures,
      settings: { "processor.svg.enabled": true, "log.application.level": "error" },
      port: values.port === undefined ? undefined : Number(values.port),
    });
    const sums = new Map<string, Sum>();
    const faults: string[] = [];
    try {
      const tile = `/iiif/3/${good}/5,5,256,256/200,/0/default.jpg`;
      const tried = { base: server.base, pid: server.pid, good: [tile] };
      for (const { name, about, format } of files) {
        const trial = {
          ...(await tryPicture(tried, name, { memory: false, settleMs: 0 })),
          name: about,
        };
        const found = faultsOf(trial);
        faults.push(...found);
        const sum = sums.get(format) ?? newSum();
        sums.set(format, sum);
        add(sum, trial, found.length);
        if (found.length === 0) continue;
        process.stdout.write(`${table([trial])}\n`);
        if (values.keep !== undefined) await copyFile(join(folder, name), join(values.keep, name));
      }
    } finally {
      await server.remove();
    }
    process.stdout.write(`\n${report(sums)}\n\n${faults.length} faults\n`);
    for (const fault of faults) process.stdout.write(`Fault: ${fault}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Files of the corpus of all formats in turn, as long as they are small: each takes the first of
 * the next format.
 */
const smallOnes = async (
  largest: number,
): Promise<readonly { readonly path: string; readonly format: string }[]> => {
  const byFormat = new Map<string, string[]>();
  for (const file of allCorpusFiles()) {
    const format = file.path.split("/")[0] ?? "";
    const path = corpusPath(file);
    if (format === "malformed" || (await stat(path)).size > largest) continue;
    const paths = byFormat.get(format) ?? [];
    byFormat.set(format, paths);
    paths.push(path);
  }
  const longest = Math.max(...[...byFormat.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    [...byFormat].map(([format, paths]) => ({ format, path: paths[round % paths.length] ?? "" })),
  ).flat();
};

await main(process.argv.slice(2));
