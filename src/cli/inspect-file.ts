import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { formats } from "../core/formats.ts";
import { upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { createCodecs } from "../formats/index.ts";
import { jpeg2000Keys } from "../formats/jpeg2000/file/keys.ts";
import { createProfileThreads } from "../formats/metadata/jpegxl-profile.ts";
import { readMetadata } from "../formats/metadata/read.ts";
import type { Metadata } from "../formats/metadata/values.ts";
import { createPdfThreads, pdfThreadLimits } from "../formats/pdf/threads.ts";
import { readingKeys } from "../formats/shared/decoding-keys.ts";
import { sniff } from "../formats/sniff.ts";
import type { ExitCode, Terminal } from "./command.ts";
import { isOfSource, sourceFailureText } from "./failure-report.ts";
import { type Input, type InputOrigin, nameOf, openInput } from "./input.ts";
import { metadataLines } from "./metadata-report.ts";
import { countOf } from "./words.ts";

/** Writes what the server sees in a file or an image of its source; 1 where it is not read. */
export const inspect = async (
  input: Input,
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
    terminal.err(`${nameOf(input)}: ${text}\n`);
    return 1;
  }
};

/** What is told of a file. */
interface Seen extends ImageInfo {
  readonly metadata: Metadata;
  /** Of an image of the source. */
  readonly source?: InputOrigin;
}

const look = async (input: Input, config: Config, terminal: Terminal): Promise<Seen> => {
  const { signal } = terminal;
  const { reader, origin, close } = await openInput(input, config, terminal);
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
    const metadata = await readMetadata(reader, info, signal, readers);
    return { ...info, metadata, ...(origin ? { source: origin() } : {}) };
  } finally {
    await threads.close();
    await profiles.close();
    await close();
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
  kept: "its own, carried into answers",
  converted: "its own, converted to sRGB",
} as const;
