import { extname } from "node:path";
import { parseArgs } from "node:util";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type FormatName, formatOfExtension, formats } from "../core/formats.ts";
import { type TileCompression, tileCompressions } from "../formats/pyramid-file/tile-encoders.ts";
import { FileExists, found, writeAtomically } from "./atomic-file.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { type Conversion, type Converted, convert as convertFile } from "./conversion.ts";
import { progressOn, silence } from "./progress.ts";

/** `vitrine convert IN OUT`: makes a pyramid, or a picture in any format that is written, of any that is read. */
export const convert: Command = {
  usage:
    "convert IN OUT [--tile N] [--compression NAME] [--quality N] [--page N] [--force] [--config FILE]",
  summary: "makes a tiled pyramid (.tif) of a picture, or a picture in another format",
  details: [
    "Reads whatever the server reads. Where OUT ends in .tif, .tiff or .ptif it becomes a tiled pyramid, which the",
    "server reads fastest, with the profile and the metadata of IN; else one picture in the format of its ending.",
    "The picture is set upright. RGB and grey keep their numbers and their profile, all else becomes sRGB.",
    "OUT is there whole or not at all, and nothing is replaced without --force.",
    "How it is read, drawn and encoded is what the configuration says, as with the server, but for limits of time and size.",
    "",
    "  --tile N            both sides of a tile in pixels, a multiple of 16 from 64 to 4096; 256",
    "  --compression NAME  of the tiles: jpeg, webp, deflate, zstd, lzw or none; jpeg. All but jpeg and webp keep",
    "                      16 bits, and all but jpeg keep transparency",
    "  --quality N         of jpeg and webp, or of the format of OUT, 1 to 100; 80, or the format's own",
    "  --pyramid KIND      reduced levels as pages or as subifds; pages",
    "  --page N            which page or frame of IN, from 1, or which second of a video; the first, or its start",
    "  --force             replaces OUT where there is one",
    "  --quiet             says nothing of how far it is",
  ],
  async run(args, terminal) {
    const wanted = await wantedOf(args);
    // Where it fails at the end, that would be told rather late.
    if (!wanted.force && (await found(wanted.to)) !== undefined)
      throw new UsageError(exists(wanted.to));
    return byConfiguration(wanted.config, terminal, (config) => carryOut(wanted, config, terminal));
  },
};

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
  readonly config: string | undefined;
  readonly force: boolean;
  readonly quiet: boolean;
}

const wantedOf = async (args: readonly string[]): Promise<Wanted> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      tile: { type: "string" },
      compression: { type: "string" },
      quality: { type: "string" },
      pyramid: { type: "string" },
      page: { type: "string" },
      config: { type: "string" },
      force: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const [from, to, ...rest] = positionals;
  if (from === undefined || to === undefined || rest.length > 0)
    throw new UsageError(`convert: expected two files, IN and OUT, got ${positionals.length}`);
  await checkFiles(from, to);
  const format = formatOf(to);
  const { tile, compression, pyramid } = values;
  if (format !== "tif" && (tile ?? compression ?? pyramid) !== undefined)
    throw new UsageError(
      `convert: --tile, --compression and --pyramid are for OUT in TIFF, not in ${formats[format].name}`,
    );
  const quality =
    values.quality === undefined
      ? undefined
      : numberIn("quality", values.quality, { least: 1, most: 100 });
  const side = numberIn("tile", tile ?? "256", { least: 64, most: 4_096 });
  if (side % tileStep !== 0)
    throw new UsageError(`convert: --tile: expected a multiple of ${tileStep}, got ${side}`);
  return {
    from,
    to,
    format,
    quality,
    page:
      values.page === undefined
        ? undefined
        : numberIn("page", values.page, { least: 1, most: 1_000_000 }),
    pyramid: {
      tile: side,
      compression: compressionOf(compression ?? "jpeg"),
      quality: quality ?? usualQuality,
      levels: levelsOf(pyramid ?? "pages"),
    },
    config: values.config,
    force: values.force,
    quiet: values.quiet,
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

const numberIn = (
  name: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`convert: --${name}: expected ${least} to ${most}, got '${text}'`);
};

const compressionOf = (text: string): TileCompression =>
  tileCompressions.find((name) => name === text) ??
  usage(`convert: --compression: expected ${tileCompressions.join(", ")}; got '${text}'`);

const levelsOf = (text: string): "pages" | "subifds" =>
  text === "pages" || text === "subifds"
    ? text
    : usage(`convert: --pyramid: expected pages or subifds, got '${text}'`);

const usage = (message: string): never => {
  throw new UsageError(message);
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
