import { link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type BenchImage, readInformation } from "../image.ts";
import { type Agreement, agreement } from "./agreement.ts";
import { bare } from "./bare.ts";
import { iiifProcessor } from "./iiif-processor.ts";
import { iipsrv } from "./iipsrv.ts";
import { type Measurement, measure } from "./measurement.ts";
import { type RivalOptions, rivalOptions, usage } from "./options.ts";
import type { Rival, Running } from "./server.ts";
import { type Outcome, table } from "./table.ts";
import { vitrine } from "./vitrine.ts";
import { type Images, type Workload, workloads } from "./workloads.ts";

const main = async (args: readonly string[]): Promise<void> => {
  const options = rivalOptions(args, availableParallelism());
  if (options === undefined) {
    process.stdout.write(usage);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-rivals-"));
  try {
    await compareAll(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const compareAll = async (options: RivalOptions, folder: string): Promise<void> => {
  const pictures = join(folder, "pictures");
  await mkdir(pictures);
  const found = await readdir(options.pictures);
  const wanted = workloads.flatMap((workload) => {
    if (!options.only.test(workload.name)) return [];
    const file = found.find((name) => name.endsWith(workload.picture));
    if (file === undefined) say(`${workload.name}: skipped, there is no *-${workload.picture}`);
    return file === undefined ? [] : [{ workload, file }];
  });
  const files = new Set(wanted.map(({ file }) => file));
  for (const file of files) await multiply(resolve(options.pictures, file), pictures);
  const [sample] = files;
  if (sample === undefined) throw new Error("Expected a picture for at least one workload");

  const servers: Running[] = [];
  try {
    for (const rival of rivalsOf(options)) {
      const own = join(folder, rival.name);
      await mkdir(own);
      const setup = {
        folder: own,
        pictures,
        sample: copyName(sample, 0),
        processes: options.processes,
      };
      servers.push(await rival.start(setup));
      say(`${rival.name} is up`);
    }
    const outcomes: Outcome[] = [];
    for (const { workload, file } of wanted)
      outcomes.push(await outcomeOf(workload, file, { servers, options }));
    await report(outcomes, options);
  } finally {
    for (const server of servers) await server.stop();
  }
};

const rivalsOf = (options: RivalOptions): readonly Rival[] =>
  [
    vitrine({ main: options.vitrine, workers: options.workers }),
    ...(options.before === undefined
      ? []
      : [vitrine({ name: "before", main: options.before, workers: options.workers })]),
    iipsrv({ program: options.iipsrv }),
    iiifProcessor({ version: options.processorVersion }),
    bare(),
  ].filter(({ name }) => options.servers.includes(name));

/** Number of names for each image; one more is for warming up. */
const copies = 8;

const copyName = (file: string, copy: number): string => `${copy}-${basename(file)}`;

/** The same file under several names: different images to the servers. */
const multiply = async (file: string, folder: string): Promise<void> => {
  for (let copy = 0; copy <= copies; copy++) {
    const name = join(folder, copyName(file, copy));
    await link(file, name).catch(() => symlink(file, name));
  }
};

/** Runs one workload on all servers in turn, so that disturbances hit all. */
const outcomeOf = async (
  workload: Workload,
  file: string,
  { servers, options }: { readonly servers: readonly Running[]; readonly options: RivalOptions },
): Promise<Outcome> => {
  const able = servers.filter(({ name }) => name !== "bare" || workload.isStored === true);
  const prepared = await prepare(workload, file, able);
  const agreements: Record<string, Agreement> = {};
  const [ours, ...others] = prepared;
  if (ours !== undefined && workload.pictures)
    for (const other of others) {
      const pairs = sampled(ours.paths, other.paths);
      const found = await agreement(ours.server, other.server, pairs);
      for (const complaint of found.complaints) say(`${workload.name}: ${complaint}`);
      agreements[other.server.name] = found;
    }
  const runs: Record<string, Measurement[]> = {};
  for (const { server, warm } of prepared) await measure(server, workload, warm, options.warmup);
  for (let repetition = 0; repetition < options.repetitions; repetition++)
    for (const { server, paths } of prepared) {
      const from = Math.floor((paths.length * repetition) / options.repetitions);
      const [first, ...rest] = [...paths.slice(from), ...paths.slice(0, from)];
      if (first === undefined) continue;
      const run = await measure(server, workload, [first, ...rest], options.seconds);
      runs[server.name] = [...(runs[server.name] ?? []), run];
      say(`${workload.name} ${repetition + 1}: ${server.name} ${run.perSecond.toFixed(1)}/s`);
    }
  return { workload, runs, agreement: agreements };
};

interface Prepared {
  readonly server: Running;
  readonly warm: readonly [string, ...string[]];
  readonly paths: readonly [string, ...string[]];
}

/** Makes the lists of each server: the same regions and sizes in its own paths. */
const prepare = async (
  workload: Workload,
  file: string,
  servers: readonly Running[],
): Promise<readonly Prepared[]> => {
  const seen = await Promise.all(
    servers.map(async (server) => {
      const images: BenchImage[] = [];
      for (let copy = 0; copy <= copies; copy++)
        images.push(await imageOf(server, copyName(file, copy)));
      return { server, images };
    }),
  );
  const factors = common(seen.map(({ images }) => images[0]?.scaleFactors ?? []));
  const shapes = new Set(seen.map(({ images }) => `${images[0]?.width} × ${images[0]?.height}`));
  if (shapes.size !== 1)
    throw new Error(`${file}: expected one size from all servers, got ${[...shapes].join(", ")}`);
  return seen.map(({ server, images }) => {
    const alike = images.map((image) => ({
      ...image,
      tileWidth: workload.tile,
      tileHeight: workload.tile,
      scaleFactors: factors,
    }));
    const [first, ...rest] = alike;
    return { server, warm: list(workload, first && [first]), paths: list(workload, some(rest)) };
  });
};

const some = ([first, ...rest]: readonly BenchImage[]): Images | undefined =>
  first && [first, ...rest];

const list = (workload: Workload, images: Images | undefined): readonly [string, ...string[]] => {
  const [first, ...rest] = images === undefined ? [] : workload.paths(images);
  if (first === undefined) throw new Error(`Expected paths for ${workload.name}`);
  return [first, ...rest];
};

const common = ([first = [], ...others]: readonly (readonly number[])[]): readonly number[] =>
  first.filter((factor) => others.every((factors) => factors.includes(factor)));

const imageOf = async ({ base, prefix }: Running, name: string): Promise<BenchImage> => {
  const path = `${prefix}/${name}`;
  const url = `${base.origin}${path}/info.json`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`Expected info.json at ${url}, got status ${response.status}`);
  return readInformation(path, await response.json());
};

/** A few places of two lists that are the same but for their prefixes. */
const sampled = (ours: readonly string[], theirs: readonly string[]) =>
  [0, 0.37, 0.74].flatMap((share) => {
    const at = Math.floor(ours.length * share);
    const [one, other] = [ours[at], theirs[at]];
    const picture = one !== undefined && other !== undefined && !one.endsWith("/info.json");
    return picture ? [{ ours: one, theirs: other }] : [];
  });

const report = async (outcomes: readonly Outcome[], options: RivalOptions): Promise<void> => {
  const rivals = options.servers.filter((name) => name !== "vitrine");
  process.stdout.write(`${table(outcomes, rivals)}\n`);
  const load = loadavg()[0] ?? 0;
  say(`load of the machine at the end, this run included: ${load.toFixed(1)}`);
  if (options.json !== undefined) {
    const { seconds, repetitions } = options;
    const all = { date: new Date().toISOString(), seconds, repetitions, load, outcomes };
    await writeFile(options.json, `${JSON.stringify(all, undefined, 2)}\n`);
  }
  const differs = outcomes.some((outcome) =>
    Object.values(outcome.agreement).some(({ complaints }) => complaints.length > 0),
  );
  if (differs) process.exitCode = 1;
};

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
