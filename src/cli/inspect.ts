import { stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { formats } from "../core/formats.ts";
import { upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { createCodecs } from "../formats/index.ts";
import { jpeg2000Keys } from "../formats/jpeg2000-file/keys.ts";
import { createProfileThreads } from "../formats/metadata/jpegxl-profile.ts";
import { readMetadata } from "../formats/metadata/read.ts";
import type { Metadata } from "../formats/metadata/values.ts";
import { createPdfThreads, pdfThreadLimits } from "../formats/pdf/threads.ts";
import { readingKeys } from "../formats/reading.ts";
import { sniff } from "../formats/sniff.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { metadataLines } from "./metadata-report.ts";

/** `vitrine inspect FILE`: what the server sees in a picture. */
export const inspect: Command = {
  usage: "inspect FILE [--config FILE] [--json]",
  summary: "says what the server sees in a picture: pages, levels, tiles, colour, metadata",
  details: [
    "Tells the format, the pages, their levels and tiles, and their colour; then, as far as the file has",
    "them, Exif, IPTC, XMP, the ICC profile and what only its format knows (tags of TIFF, texts of PNG,",
    "comments). What is damaged or too large is left out and told as a problem. Long values are cut.",
    "What is read, and within which bounds, is what the configuration says, as with the server.",
    "",
    "  --json  prints all of it for programs, uncut: { format, pages, metadata: { exif, iptc, xmp, icc,",
    "          native, problems } }; rationals are [numerator, denominator]",
  ],
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { config: { type: "string" }, json: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0)
      throw new UsageError(`inspect: expected one file, got ${positionals.length}`);
    const found = await stat(path).catch(() => undefined);
    if (!found) throw new UsageError(`inspect: there is no file '${path}'`);
    if (!found.isFile())
      throw new UsageError(`inspect: expected a file, but '${path}' is a folder or a device`);
    return byConfiguration(values.config, terminal, (config) =>
      tell(path, { config, terminal, asJson: values.json }),
    );
  },
};

const tell = async (
  path: string,
  {
    config,
    terminal,
    asJson,
  }: { readonly config: Config; readonly terminal: Terminal; readonly asJson: boolean },
): Promise<ExitCode> => {
  try {
    const seen = await look(path, config, terminal.signal);
    terminal.out(asJson ? `${JSON.stringify(seen, null, 2)}\n` : report(seen));
    return 0;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    terminal.err(`${path}: ${error.message}\n`);
    return 1;
  }
};

/** What is told of a file. */
interface Seen extends ImageInfo {
  readonly metadata: Metadata;
}

const look = async (path: string, config: Config, signal: AbortSignal): Promise<Seen> => {
  const reader = await singleFile(path);
  const profiles = createProfileThreads();
  const settings = config.view({ ...readingKeys, ...jpeg2000Keys });
  const threads = createPdfThreads(() => pdfThreadLimits(settings(), { threads: 1 }));
  try {
    const codecs = createCodecs(settings, { pdf: threads });
    const format = await sniff(reader, signal);
    const decoder = format && (await codecs[format]()).decoder;
    if (!decoder) throw new ServerError("unreadable", "the file is of no format this server reads");
    const info = await decoder.info(reader, signal);
    const readers = { profiles, documents: { settings, threads } };
    return { ...info, metadata: await readMetadata(reader, info, signal, readers) };
  } finally {
    await threads.close();
    await profiles.close();
    await reader.close();
  }
};

const report = (info: Seen): string => {
  const lines = [
    `format       ${formats[info.format].name}`,
    `pages        ${info.pages.length}`,
    ...(info.seconds === undefined ? [] : [`seconds      ${info.seconds}`]),
  ];
  for (const [n, page] of info.pages.entries()) {
    if (info.pages.length > 1) lines.push("", `page ${n + 1}`);
    lines.push(...describe(page));
  }
  lines.push(...metadataLines(info.metadata));
  return `${lines.join("\n")}\n`;
};

const describe = (page: Page): string[] => {
  const seen = upright(page.size, page.orientation);
  const { bits, model, alpha, profile } = page.colour;
  return [
    `size         ${seen.width} x ${seen.height}`,
    ...(page.orientation === 1
      ? []
      : [`orientation  ${page.orientation} (stored as ${page.size.width} x ${page.size.height})`]),
    `colour       ${model}, ${bits} bits${alpha ? ", with alpha" : ""}`,
    `profile      ${profiles[profile]}`,
    ...page.levels.map(({ size, tile }, n) => {
      const tiled = tile.width < size.width || tile.height < size.height;
      const name = n === 0 ? "levels" : "";
      return `${name.padEnd(13)}${size.width} x ${size.height}${tiled ? ` in pieces of ${tile.width} x ${tile.height}` : ", in one piece"}`;
    }),
  ];
};

const profiles = {
  none: "none",
  srgb: "sRGB",
  kept: "its own, carried into answers",
  converted: "its own, converted to sRGB",
} as const;
