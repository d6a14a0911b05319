import { stat } from "node:fs/promises";
import { Command } from "@commander-js/extra-typings";
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
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { metadataLines } from "./metadata-report.ts";
import { configOption, jsonOption } from "./options.ts";

/** `vitrine inspect FILE`: what the server sees in a picture. */
export const inspectCommand = (terminal: Terminal, exit: Exit) =>
  new Command("inspect")
    .summary("show what the server sees in an image file")
    .description(
      "Show what the server sees in an image file: format, pages, levels, tiles, colour, and metadata (Exif, IPTC, XMP, ICC and what only the format has). Damaged or oversized metadata is skipped and reported; long values are cut.",
    )
    .argument("<file>", "image file")
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
The JSON holds everything uncut: { format, pages, metadata: { exif, iptc, xmp,
icc, native, problems } }; rationals are [numerator, denominator].`,
    )
    .action(async (path, { config, json = false }) => {
      await checkFile(path);
      const code = await byConfiguration(config, terminal, (found) =>
        tell(path, { config: found, terminal, asJson: json }),
      );
      exit(code);
    });

const checkFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new UsageError(`inspect: there is no file '${path}'`);
  if (!found.isFile())
    throw new UsageError(`inspect: expected a file, but '${path}' is a folder or a device`);
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
