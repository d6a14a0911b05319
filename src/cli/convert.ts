import { extname } from "node:path";
import { Command, Option } from "@commander-js/extra-typings";
import type { Config } from "../config/store.ts";
import { found } from "../conversion/atomic-file.ts";
import type { ConvertJob } from "../conversion/convert-file.ts";
import type { FormatName } from "../core/formats.ts";
import { factsOf, formatOfExtension, registry } from "../formats/registry.ts";
import {
  noZstdEncoder,
  type TileCompression,
  tileCompressions,
  zstdEncoder,
} from "../formats/write/index.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { type CommandInput, openInput, resolveName } from "./input.ts";
import { configOption, identifierOption, integer } from "./options.ts";
import { progressOn, silence } from "./progress.ts";

/** `vitrine convert IN OUT`: converts any readable image to a pyramid or another format. */
export const convertCommand = (terminal: Terminal, exit: Exit) =>
  new Command("convert")
    .summary("make tiled pyramids, or images in another format")
    .usage("[options] <in> <out>\n       vitrine convert [options] --identifier <id> <out>")
    .description(
      "Convert an image, or all images of a folder, to tiled pyramids, which the server reads fastest, or to another format. Reads every format that the server reads, by the same configuration except for its limits of time and size.",
    )
    .argument("[in]", "image or folder to read; left out with --identifier")
    .argument(
      "[out]",
      "file to write, a pyramid if it ends in .tif, .tiff or .ptif; or folder to write to, if IN is one",
    )
    .addOption(identifierOption())
    .option(
      "--tile <n>",
      "width and height of tiles, a multiple of 16 (default: 256)",
      integer(64, 4_096, { multipleOf: tileStep }),
    )
    .addOption(
      new Option(
        "--compression <name>",
        "of tiles; all but jpeg and webp keep 16 bits, all but jpeg keep transparency (default: jpeg)",
      ).choices(tileCompressions),
    )
    .option(
      "--quality <n>",
      "of jpeg and webp tiles (default: 80), or of the format of OUT",
      integer(1, 100),
    )
    .addOption(
      new Option("--pyramid <kind>", "where the reduced levels go (default: pages)").choices([
        "pages",
        "subifds",
      ]),
    )
    .option(
      "--page <n>",
      "page or frame to convert, from 1, or second of a video",
      integer(1, 1_000_000),
    )
    .option("--format <ending>", "of the files in folder OUT (default: tif)")
    .option("--workers <n>", "processes for a folder (default: one per processor)", integer(1, 64))
    .option("-f, --force", "replace files that exist")
    .option("-q, --quiet", "show no progress")
    .addOption(configOption())
    .addHelpText(
      "after",
      `
The image is turned upright. RGB and grey keep their values and their profile;
everything else becomes sRGB. Pyramids keep the metadata. A file is written
completely or not at all.

A folder is converted with the folders in it. What is in OUT already is skipped,
so that the same command continues where it was stopped.`,
    )
    .action(async (first, second, options) => {
      const run = await runOf(first, second, options);
      exit(await byConfiguration(options.config, terminal, (config) => run(config, terminal)));
    });

const runOf = async (
  first: string | undefined,
  second: string | undefined,
  options: Options,
): Promise<ConvertRun> => {
  const { identifier } = options;
  if (identifier !== undefined) {
    if (first === undefined || second !== undefined)
      throw new UsageError("convert: expected OUT alone with --identifier ID");
    return fileRun({ identifier, config: options.config }, first, options);
  }
  if (first === undefined || second === undefined)
    throw new UsageError(
      `convert: missing required argument '${first === undefined ? "in" : "out"}'`,
    );
  const source = await found(first);
  if (source === undefined) throw new UsageError(`convert: there is no file '${first}'`);
  return source.isDirectory()
    ? folderRun(first, second, options)
    : fileRun({ path: first }, second, options);
};

type ConvertRun = (config: Config, terminal: Terminal) => Promise<ExitCode>;

interface Options {
  readonly config?: string | undefined;
  readonly identifier?: string | undefined;
  readonly tile?: number | undefined;
  readonly compression?: TileCompression | undefined;
  readonly quality?: number | undefined;
  readonly pyramid?: "pages" | "subifds" | undefined;
  readonly page?: number | undefined;
  readonly format?: string | undefined;
  readonly workers?: number | undefined;
  readonly force?: true | undefined;
  readonly quiet?: true | undefined;
}

const folderRun = (from: string, to: string, options: Options): ConvertRun => {
  const extension = options.format?.replace(/^\./, "").toLowerCase() ?? "tif";
  const format = writtenFormat(extension);
  if (format === undefined)
    throw new UsageError(`convert: --format: expected ${endingsText()}; got '${options.format}'`);
  const { workers, quiet = false } = options;
  const job = { ...jobOf(from, to, { ...options, writes: format }), extension, workers, quiet };
  return async (config, terminal) => {
    const { convertFolder } = await import("./convert-folder.ts");
    return convertFolder(job, config, terminal);
  };
};

const fileRun = async (input: CommandInput, to: string, options: Options): Promise<ConvertRun> => {
  if ((options.format ?? options.workers) !== undefined)
    throw new UsageError("convert: --format and --workers are for folders, but IN is a file");
  await checkFiles("path" in input ? input.path : undefined, to);
  const format = writtenFormat(extname(to).slice(1));
  if (format === undefined)
    throw new UsageError(`convert: expected OUT to end in ${endingsText()}; got '${to}'`);
  const job = jobOf(resolveName(input), to, { ...options, writes: format });
  // At the end, this error would come rather late.
  if (!job.force && (await found(to)) !== undefined)
    throw new UsageError(`convert: '${to}' exists already; --force replaces it`);
  return (config, terminal) =>
    convertOne(job, { input, config, terminal, quiet: options.quiet === true });
};

const convertOne = async (
  job: ConvertJob,
  {
    input,
    config,
    terminal,
    quiet,
  }: {
    readonly input: CommandInput;
    readonly config: Config;
    readonly terminal: Terminal;
    readonly quiet: boolean;
  },
): Promise<ExitCode> => {
  const { convertFile, failureText, summaryOf } = await import("../conversion/convert-file.ts");
  const { err, signal } = terminal;
  const progress = quiet ? silence : progressOn(terminal, { name: job.to });
  const onProgress = (share: number, pixels: number): void =>
    progress.at({ share, pixels: share * pixels });
  try {
    const open = () => openInput(input, config, terminal);
    const done = await convertFile(job, { config, onProgress, open }, signal);
    progress.end();
    if (!quiet) err(`${job.to}: ${summaryOf(done, job)}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (signal.aborted) {
      err(`${job.to}: interrupted; nothing was written\n`);
      // libvips finishes its current operation, which may take long, and whose result is not
      // needed.
      setTimeout(() => process.exit(1), lingerMs).unref();
      return 1;
    }
    const text = failureText(error, job);
    if (text === undefined) throw error;
    err(`${text}\n`);
    return 1;
  }
};

/** Milliseconds for which uninterruptible work may delay the exit. */
const lingerMs = 500;

const jobOf = (
  from: string,
  to: string,
  { writes, ...options }: Options & { readonly writes: FormatName },
): ConvertJob => {
  const { tile, compression, pyramid, quality, page, force = false } = options;
  if (writes !== "tif" && (tile ?? compression ?? pyramid) !== undefined)
    throw new UsageError(
      `convert: --tile, --compression and --pyramid are for OUT in TIFF, not in ${factsOf(writes).name}`,
    );
  if (compression === "zstd" && zstdEncoder() === undefined)
    throw new UsageError(`convert: --compression zstd: ${noZstdEncoder()}`);
  return {
    from,
    to,
    format: writes,
    quality,
    page,
    pyramid: {
      tile: tile ?? 256,
      compression: compression ?? "jpeg",
      quality: quality ?? usualQuality,
      levels: pyramid ?? "pages",
    },
    force,
  };
};

/** TIFF 6.0, section 15: both sides of a tile are multiples of this. */
const tileStep = 16;
const usualQuality = 80;

const checkFiles = async (from: string | undefined, to: string): Promise<void> => {
  const source = from === undefined ? undefined : await found(from);
  const target = await found(to);
  if (from !== undefined && !source?.isFile())
    throw new UsageError(`convert: expected a file, but '${from}' is a device`);
  if (target === undefined) return;
  if (!target.isFile())
    throw new UsageError(`convert: expected a file, but '${to}' is a folder or a device`);
  if (target.dev === source?.dev && target.ino === source.ino)
    throw new UsageError(`convert: expected two files, but '${from}' and '${to}' are the same`);
};

/** The writable format of a file extension (without its dot), or undefined. */
const writtenFormat = (extension: string): FormatName | undefined => {
  const format = formatOfExtension(extension);
  return format !== undefined && factsOf(format).maxSide > 0 ? format : undefined;
};

const endingsText = (): string =>
  registry
    .filter(({ facts }) => facts.maxSide > 0)
    .flatMap(({ facts: { extensions } }) => extensions.map((extension) => `.${extension}`))
    .join(", ");
