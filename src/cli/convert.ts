import { extname } from "node:path";
import { Command, Option } from "@commander-js/extra-typings";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type FormatName, formatOfExtension, formats } from "../core/formats.ts";
import { type TileCompression, tileCompressions } from "../formats/pyramid-file/tile-encoders.ts";
import { FileExists, found, writeAtomically } from "./atomic-file.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { type Conversion, type Converted, convert as convertFile } from "./conversion.ts";
import { configOption, integer } from "./options.ts";
import { progressOn, silence } from "./progress.ts";

/** `vitrine convert IN OUT`: makes a pyramid, or a picture in any format that is written, of any that is read. */
export const convertCommand = (terminal: Terminal, exit: Exit) =>
  new Command("convert")
    .summary("make a tiled pyramid, or an image in another format")
    .description(
      "Convert an image to a tiled pyramid, which the server reads fastest (OUT ends in .tif, .tiff or .ptif), or to one image in the format of OUT's ending. Reads every format that the server reads, by the same configuration except for its limits of time and size.",
    )
    .argument("<in>", "image to read")
    .argument("<out>", "file to write, complete or not at all")
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
    .option("-f, --force", "replace OUT if it exists")
    .option("-q, --quiet", "show no progress")
    .addOption(configOption())
    .addHelpText(
      "after",
      `
The image is turned upright. RGB and grey keep their values and their profile;
everything else becomes sRGB. Pyramids keep the metadata.`,
    )
    .action(async (from, to, options) => {
      const wanted = await wantedOf(from, to, options);
      // At the end, this would be told rather late.
      if (!wanted.force && (await found(to)) !== undefined) throw new UsageError(exists(to));
      const code = await byConfiguration(options.config, terminal, (config) =>
        carryOut(wanted, config, terminal),
      );
      exit(code);
    });

const carryOut = async (
  { to, force, quiet, ...wanted }: Wanted,
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> => {
  const renews = process.stderr.isTTY === true;
  const progress = quiet ? silence : progressOn(terminal, { name: to, renews });
  try {
    const done = await writeAtomically(to, { replace: force }, ({ file, aside }) =>
      convertFile({ ...wanted, config, aside, onProgress: progress.at }, file, terminal.signal),
    );
    progress.end();
    if (!quiet) terminal.err(`${to}: ${summaryOf(done, wanted.format)}\n`);
    return 0;
  } catch (error) {
    progress.end();
    return explainFailure(error, { from: wanted.from, to }, terminal);
  }
};

interface Wanted extends Omit<Conversion, "config" | "aside" | "onProgress"> {
  readonly to: string;
  readonly force: boolean;
  readonly quiet: boolean;
}

interface Options {
  readonly tile?: number | undefined;
  readonly compression?: TileCompression | undefined;
  readonly quality?: number | undefined;
  readonly pyramid?: "pages" | "subifds" | undefined;
  readonly page?: number | undefined;
  readonly force?: true | undefined;
  readonly quiet?: true | undefined;
}

const wantedOf = async (from: string, to: string, options: Options): Promise<Wanted> => {
  await checkFiles(from, to);
  const format = formatOf(to);
  const { tile, compression, pyramid, quality, page, force = false, quiet = false } = options;
  if (format !== "tif" && (tile ?? compression ?? pyramid) !== undefined)
    throw new UsageError(
      `convert: --tile, --compression and --pyramid are for OUT in TIFF, not in ${formats[format].name}`,
    );
  return {
    from,
    to,
    format,
    quality,
    page,
    pyramid: {
      tile: tile ?? 256,
      compression: compression ?? "jpeg",
      quality: quality ?? usualQuality,
      levels: pyramid ?? "pages",
    },
    force,
    quiet,
  };
};

/** TIFF 6.0, section 15: both sides of a tile are multiples of this. */
const tileStep = 16;
const usualQuality = 80;

const checkFiles = async (from: string, to: string): Promise<void> => {
  const source = await found(from);
  if (source === undefined) throw new UsageError(`convert: there is no file '${from}'`);
  if (!source.isFile())
    throw new UsageError(`convert: expected a file, but '${from}' is a folder or a device`);
  const target = await found(to);
  if (target === undefined) return;
  if (!target.isFile())
    throw new UsageError(`convert: expected a file, but '${to}' is a folder or a device`);
  if (target.dev === source.dev && target.ino === source.ino)
    throw new UsageError(`convert: expected two files, but '${from}' and '${to}' are the same`);
};

const formatOf = (path: string): FormatName => {
  const format = formatOfExtension(extname(path).slice(1));
  if (format !== undefined && formats[format].maxSide > 0) return format;
  const written = (Object.keys(formats) as FormatName[])
    .filter((name) => formats[name].maxSide > 0)
    .flatMap((name) => formats[name].extensions.map((extension) => `.${extension}`));
  throw new UsageError(`convert: expected OUT to end in ${written.join(", ")}; got '${path}'`);
};

const exists = (path: string): string =>
  `convert: there is a file '${path}' already; --force replaces it`;

const summaryOf = ({ from, size, bytes }: Converted, format: FormatName): string =>
  `${size.width} x ${size.height}, ${formats[from].name} to ${formats[format].name}, ${bytes} bytes`;

/** How long what cannot be interrupted may keep the process, in milliseconds. */
const lingerMs = 500;

const explainFailure = (
  error: unknown,
  { from, to }: Pick<Wanted, "from" | "to">,
  { err, signal }: Terminal,
): 1 => {
  if (signal.aborted) {
    err(`${to}: interrupted; nothing was written\n`);
    // libvips ends what it is at, which may take long, and what comes of it is not wanted.
    setTimeout(() => process.exit(1), lingerMs).unref();
    return 1;
  }
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof FileExists) err(`${to}: there is such a file by now; nothing was written\n`);
  else if (error instanceof ServerError) err(`${from}: ${error.message}\n`);
  else if (code !== undefined && error instanceof Error)
    err(`${to}: ${reasons[code] ?? error.message}; nothing was written\n`);
  else throw error;
  return 1;
};

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "there is no room on the disk (ENOSPC)",
  EDQUOT: "there is no room left for this user (EDQUOT)",
  EFBIG: "the file is larger than files may be there (EFBIG)",
  ENOENT: "there is no such folder (ENOENT)",
  EACCES: "writing there is not allowed (EACCES)",
  EROFS: "nothing can be written there (EROFS)",
};
