import type { Config } from "../config/store.ts";
import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import { ServerError } from "../core/errors.ts";
import { upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { readMetadata } from "../formats/embedded-metadata.ts";
import { createCodecs } from "../formats/index.ts";
import { createProfileThreads, type Metadata } from "../formats/metadata/index.ts";
import { Resources } from "../formats/pool/index.ts";
import { factsOf } from "../formats/registry.ts";
import { sniff } from "../formats/sniff.ts";
import type { ExitCode, Terminal } from "./command.ts";
import { type CommandInput, type InputOrigin, openInput, resolveName } from "./input.ts";
import { metadataLines } from "./metadata-report.ts";
import { countOf } from "./words.ts";

/** Prints what the server sees in a file or an image of its source; 1 where it cannot be read. */
export const inspect = async (
  input: CommandInput,
  {
    config,
    terminal,
    asJson,
  }: { readonly config: Config; readonly terminal: Terminal; readonly asJson: boolean },
): Promise<ExitCode> => {
  try {
    const seen = await look(input, config, terminal);
    terminal.out(asJson ? `${JSON.stringify(seen, null, 2)}\n` : report(seen));
    return 0;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const text = isOfSource(error) ? sourceFailureText(error) : error.message;
    terminal.err(`${resolveName(input)}: ${text}\n`);
    return 1;
  }
};

/** The details of a file. */
interface Seen extends ImageInfo {
  readonly metadata: Metadata;
  /** For an image of the source. */
  readonly source?: InputOrigin;
}

const look = async (input: CommandInput, config: Config, terminal: Terminal): Promise<Seen> => {
  const { signal } = terminal;
  const { reader, origin, close } = await openInput(input, config, terminal);
  const profiles = createProfileThreads();
  const resources = new Resources(config);
  try {
    const codecs = createCodecs(resources);
    const format = await sniff(reader, signal);
    const { decoder } = format === undefined ? {} : await codecs(format);
    if (!decoder)
      throw new ServerError("unreadable", "the file is in no format that this server reads");
    const info = await decoder.info(reader, signal);
    const readers = { profiles, resources };
    const metadata = await readMetadata(reader, info, signal, readers);
    return { ...info, metadata, ...(origin ? { source: origin() } : {}) };
  } finally {
    await resources.close();
    await profiles.close();
    await close();
  }
};

const report = (info: Seen): string => {
  const lines = [
    `format       ${factsOf(info.format).name}`,
    `pages        ${info.pages.length}`,
    ...(info.seconds === undefined ? [] : [`seconds      ${info.seconds}`]),
  ];
  for (const [n, page] of info.pages.entries()) {
    if (info.pages.length > 1) lines.push("", `page ${n + 1}`);
    lines.push(...describe(page));
  }
  lines.push(...metadataLines(info.metadata), ...sourceLines(info.source));
  return `${lines.join("\n")}\n`;
};

const sourceLines = ({ place, requested }: InputOrigin = {}): string[] => [
  ...(place === undefined ? [] : ["", `source       ${place}`]),
  ...(requested
    ? [
        `requested    ${countOf(requested.requests, "time", "times")}, ${requested.bytes} bytes received`,
      ]
    : []),
];

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
  kept: "its own, kept in the output",
  converted: "its own, converted to sRGB",
} as const;
