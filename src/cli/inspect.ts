import { stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { formats } from "../core/formats.ts";
import { upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { createCodecs } from "../formats/index.ts";
import { readingKeys } from "../formats/reading.ts";
import { sniff } from "../formats/sniff.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type Command, UsageError } from "./command.ts";

/** `vitrine inspect FILE`: what the server sees in a picture. */
export const inspect: Command = {
  usage: "inspect FILE [--json]",
  summary: "says what the server sees in a picture: pages, levels, tiles, colour",
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0)
      throw new UsageError(`inspect: expected one file, got ${positionals.length}`);
    const found = await stat(path).catch(() => undefined);
    if (!found) throw new UsageError(`inspect: there is no file '${path}'`);
    if (!found.isFile())
      throw new UsageError(`inspect: expected a file, but '${path}' is a folder or a device`);
    try {
      const info = await look(path, terminal.signal);
      terminal.out(values.json ? `${JSON.stringify(info, null, 2)}\n` : report(info));
      return 0;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      terminal.err(`${path}: ${error.message}\n`);
      return 1;
    }
  },
};

const look = async (path: string, signal: AbortSignal): Promise<ImageInfo> => {
  const reader = await singleFile(path);
  try {
    const codecs = createCodecs(new Config().view(readingKeys));
    const format = await sniff(reader, signal);
    const decoder = format && (await codecs[format]()).decoder;
    if (!decoder) throw new ServerError("unreadable", "the file is of no format this server reads");
    return await decoder.info(reader, signal);
  } finally {
    await reader.close();
  }
};

const report = (info: ImageInfo): string => {
  const lines = [`format       ${formats[info.format].name}`, `pages        ${info.pages.length}`];
  for (const [n, page] of info.pages.entries()) {
    if (info.pages.length > 1) lines.push("", `page ${n + 1}`);
    lines.push(...describe(page));
  }
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
