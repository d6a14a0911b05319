import { basename, dirname, join } from "node:path";
import { environment } from "../config/environment.ts";
import { machine } from "../config/machine.ts";
import type { Config, Snapshot } from "../config/store.ts";
import { found } from "../conversion/atomic-file.ts";
import type { Source } from "../core/source.ts";
import { exportCollection, removeAbsent } from "../export/collection.ts";
import type { Workplace } from "../export/image.ts";
import type { LayoutOptions } from "../export/layout.ts";
import { Staging } from "../export/staging.ts";
import { ExportState } from "../export/state.ts";
import { writeViewer } from "../export/viewer.ts";
import { limitKeys } from "../iiif/limits.ts";
import { type WalkOptions, walkSource } from "../sources/walking.ts";
import { type ExitCode, type Terminal, UsageError } from "./command.ts";
import { configure } from "./configuration.ts";
import type { ExportInput, ExportOptions } from "./export-options.ts";
import { type ExportServer, exportConfig, openExportServer } from "./export-rendering.ts";
import { ExportReport } from "./export-report.ts";
import { type OpenedTarget, openTarget } from "./export-target.ts";

/** An export as the command line describes it. */
export interface ExportRun {
  readonly input: ExportInput;
  readonly out: string;
  readonly options: ExportOptions;
}

/** Runs an export; 1 if an image could not be exported or the export was stopped. */
export const runExport = async (run: ExportRun, terminal: Terminal): Promise<ExitCode> => {
  const read = await readInput(run.input);
  const { config: named } = run.options;
  const folder = named === undefined ? read.root : undefined;
  const loaded = await configure(
    { command: "export", folder, config: named },
    environment(),
    terminal,
  );
  if (loaded === undefined) return 2;
  try {
    const { config } = loaded.loaded;
    const values = read.root === undefined ? config.current : ofFolder(config.current, read.root);
    const { quality, maxPixels } = run.options;
    const max = maxPixels ?? (config.view(limitKeys)().max_pixels || usualMaxPixels);
    const how = { config: exportConfig(values, quality), maxPixels: max, terminal };
    return await exportAll(run, read, how);
  } finally {
    await loaded.loaded.close();
  }
};

/** Maximum pixels of the whole image if the configuration sets no limit. */
const usualMaxPixels = 10_000_000;

/** The input: in a folder given as IN, or in the configured source. */
interface ReadInput {
  /** The folder, where IN is a file or a folder. */
  readonly root?: string;
  /** One image; absent: all in `below`. */
  readonly identifier?: string;
  /** A folder of the source. */
  readonly below: string;
}

const readInput = async (input: ExportInput): Promise<ReadInput> => {
  if ("identifier" in input) return { identifier: input.identifier, below: "" };
  if ("folder" in input) return { below: input.folder };
  const there = await found(input.path);
  if (there === undefined)
    throw new UsageError(`export: there is no file or folder '${input.path}'`);
  return there.isDirectory()
    ? { root: input.path, below: "" }
    : { root: dirname(input.path), identifier: basename(input.path), below: "" };
};

/** A configuration with a folder of images in place of its source. */
const ofFolder = (values: Snapshot, root: string): Snapshot => ({
  ...values,
  "source.static": "FilesystemSource",
  "source.delegate": false,
  "FilesystemSource.lookup_strategy": "BasicLookupStrategy",
  "FilesystemSource.BasicLookupStrategy.path_prefix": join(root, "/"),
  "FilesystemSource.BasicLookupStrategy.path_suffix": "",
});

const exportAll = async (
  { out, options }: ExportRun,
  read: ReadInput,
  {
    config,
    maxPixels,
    terminal,
  }: { readonly config: Config; readonly maxPixels: number; readonly terminal: Terminal },
): Promise<ExitCode> => {
  if (options.delete && read.identifier !== undefined)
    throw new UsageError(
      "export: --delete needs a folder or --source; it cannot be used with a single image",
    );
  const opened = await openTarget(out, { ...options, config, terminal });
  try {
    const server = await openExportServer(config, terminal);
    const staging = new Staging(config, opened.folder);
    try {
      return await exportTo(opened, { server, staging, read, options, maxPixels, terminal });
    } finally {
      await staging.close();
      await server.close();
    }
  } finally {
    await opened.target.close();
  }
};

interface Exporting {
  readonly server: ExportServer;
  readonly staging: Staging;
  readonly read: ReadInput;
  readonly options: ExportOptions;
  readonly terminal: Terminal;
  /** Its `max_pixels` is as configured. */
  readonly maxPixels: number;
}

const exportTo = async (
  { target, rules }: OpenedTarget,
  { server, staging, read, options, maxPixels, terminal }: Exporting,
): Promise<ExitCode> => {
  const { signal } = terminal;
  const report = new ExportReport(terminal, { name: target.place, quiet: options.quiet === true });
  let state: ExportState | undefined;
  try {
    state = await ExportState.read(target, signal);
    const { processors } = machine();
    const place: Workplace = {
      ...{ rendering: server, staging, target, state },
      concurrency: Math.max(2, processors * 2),
    };
    const identifiers =
      read.identifier === undefined
        ? await listed(server.source, { folder: read.below, signal })
        : [read.identifier];
    const job = {
      identifiers,
      options: layoutOptions(options, maxPixels),
      baseUrl: options.baseUrl,
      rules,
      concurrency: options.workers ?? usualWorkers,
    };
    const result = await exportCollection(job, place, report, signal);
    if (options.delete)
      report.removed = await removeAbsent(result, isBelow(read.below), place, signal);
    await state.save(signal);
    if (options.viewer) await writeViewer(target, state, signal);
    const flattens = job.options.formats.every((one) => one === "jpg");
    return report.end({ isSingle: read.identifier !== undefined, flattens });
  } catch (error) {
    return await report.stop(error, () => state?.save(AbortSignal.timeout(savingMs)));
  }
};

/** Time limit for writing the record when an export is stopped, in milliseconds. */
const savingMs = 10_000;

/** Images exported at the same time: more gain little, since each uses all processors. */
const usualWorkers = 2;

const listed = async (source: Source, options: WalkOptions): Promise<readonly string[]> => {
  const identifiers: string[] = [];
  for await (const { identifier } of walkSource(source, options)) identifiers.push(identifier);
  return identifiers;
};

/** Whether an identifier is in a folder. */
const isBelow =
  (folder: string) =>
  (identifier: string): boolean =>
    folder === "" || identifier.startsWith(`${folder}/`);

const layoutOptions = (
  { api, tile = 512, format = ["jpg"], sizes, manifest }: ExportOptions,
  maxPixels: number,
): LayoutOptions => ({
  versions: api === "both" ? [2, 3] : api === "2" ? [2] : [3],
  tile,
  formats: format,
  ...(sizes ? { sizes } : {}),
  maxPixels,
  manifest: manifest === true,
});
