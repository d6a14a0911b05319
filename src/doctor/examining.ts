import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { type Size, upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { demandReader } from "../formats/availability.ts";
import type { Codecs } from "../formats/index.ts";
import { readingFailed } from "../formats/libvips/index.ts";
import { factsOf, formatNamed } from "../formats/registry.ts";
import type { Codec, Decoder } from "../formats/shared/index.ts";
import { sniff } from "../formats/sniff.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { renderKeys } from "../render/keys.ts";
import { renderOptions } from "../render/options.ts";
import { render } from "../render/render.ts";
import { blocksOf } from "./blocks.ts";
import type { Examined, ImageFacts, Problem, ZoomCost } from "./facts.ts";
import { zoomCostOf } from "./zoom-cost.ts";

/** How an object is examined. */
export interface ExaminingOptions {
  /** Whether only the structure is read, and no pixel decoded. */
  readonly quick: boolean;
  /** Milliseconds after which no further pixels are decoded. */
  readonly decodeMs: number;
}

/** The dependencies of examining. */
export interface ExaminingTools {
  readonly config: Config;
  readonly codecs: Codecs;
}

/** Maximum number of pages whose pixels are decoded. */
const maxPages = 50;

/** Maximum number of pages that are checked for being slow to zoom. */
const maxSlowPages = 1_000;

/** The longer side of a thumbnail in pixels. */
const thumbnailSide = 72;

/** Maximum size of a thumbnail in bytes; larger ones are omitted. */
const maxThumbnail = 6_144;

/**
 * Examines an object as the server would read it. Throws errors that the image did not cause:
 * failures of the storage and internal errors.
 */
export const examine = async (
  reader: RangeReader,
  { quick, decodeMs }: ExaminingOptions,
  { config, codecs }: ExaminingTools,
  signal: AbortSignal,
): Promise<Examined> => {
  let known: Pick<Examined, "format" | "image"> = {};
  try {
    const format = await sniff(reader, signal);
    if (format === undefined) return { decoded: "nothing" };
    known = { format };
    const record = formatNamed(format);
    const off = record && (await whyOff(() => demandReader(record, config)));
    if (off !== undefined) return { ...known, problem: off, decoded: "nothing" };
    const { decoder } = await codecs(format);
    if (decoder === undefined) return { decoded: "nothing" };
    const info = await decoder.info(reader, signal);
    const plan = planFor(info, 0, config);
    known = { format, image: imageFactsOf(info, plan, reader.size) };
    if (quick) return { ...known, decoded: "nothing" };
    const { encoder } = await codecs("jpg");
    const subject: Subject = {
      ...{ reader, info, decoder, config },
      codecs: { [format]: { decoder }, jpg: { decoder, ...(encoder && { encoder }) } },
    };
    return { ...known, ...(await decodePages(subject, decodeMs, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...known, problem: problemOf(error), decoded: "nothing" };
  }
};

const whyOff = async (demand: () => Promise<void>): Promise<Problem | undefined> => {
  try {
    await demand();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return { kind: "off", reason: error.message };
  }
};

/**
 * The problem with the image that an error reports; rethrows errors that the image did not cause.
 */
const problemOf = (error: unknown): Problem => {
  if (!(error instanceof ServerError)) throw error;
  if (error.failure === "late" || error.failure === "busy")
    return { kind: "limit", reason: error.message };
  const isOwn = ["unreadable", "unimplemented", "malformed", "missing"].includes(error.failure);
  if (!isOwn) throw error;
  return { kind: "unreadable", reason: error.message };
};

const imageFactsOf = (info: ImageInfo, plan: Plan, fileBytes: number): ImageFacts => {
  const [page] = info.pages;
  const costs = info.pages
    .slice(0, maxSlowPages)
    .map((one, at) =>
      zoomCostOf(
        { ...plan, page: at, orientation: one.orientation },
        { info, page: one, fileBytes },
      ),
    )
    .filter((cost) => cost !== undefined);
  const slowest = costs.reduce<ZoomCost | undefined>(
    (worst, one) => (worst === undefined || one.tile.now > worst.tile.now ? one : worst),
    undefined,
  );
  const [{ size, tile }] = page.levels;
  const isTiled = tile.width < size.width || tile.height < size.height;
  return {
    size: upright(page.size, page.orientation),
    pages: info.pages.length,
    ...(info.seconds === undefined ? {} : { seconds: info.seconds }),
    colour: page.colour,
    levels: page.levels.length,
    ...(isTiled ? { tile } : {}),
    ...(page.progressive ? { progressive: page.progressive } : {}),
    ...(slowest ? { zoom: slowest } : {}),
    slowPages: costs.length,
  };
};

interface Subject {
  readonly reader: RangeReader;
  readonly info: ImageInfo;
  readonly decoder: Decoder;
  readonly config: Config;
  readonly codecs: Partial<Record<FormatName, Codec>>;
}

/** A plan for the whole page in a small size. */
const planFor = (info: ImageInfo, index: number, config: Config): Plan => {
  const page = info.pages[index] ?? info.pages[0];
  const full = upright(page.size, page.orientation);
  const settings = config.view({ ...renderKeys, ...encodingKeys })();
  return {
    ...renderOptions(settings, "jpg"),
    identifier: "",
    page: index,
    orientation: page.orientation,
    crop: { x: 0, y: 0, ...full },
    size: thumbnailOf(full),
    mirror: false,
    rotation: 0,
    quality: "default",
    format: "jpg",
    // Metadata would make thumbnails larger.
    preserve: false,
    colour: "srgb",
    sourceVersion: "",
  };
};

/** At most as large as the page, and at least 1 × 1 pixel. */
const thumbnailOf = ({ width, height }: Size): Size => {
  const scale = Math.min(1, thumbnailSide / Math.max(width, height));
  const along = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: along(width), height: along(height) };
};

/** Decodes the pages one after the other, up to the first that cannot be decoded. */
const decodePages = async (
  subject: Subject,
  decodeMs: number,
  signal: AbortSignal,
): Promise<Pick<Examined, "decoded" | "problem" | "thumbnail">> => {
  const until = performance.now() + decodeMs;
  const { pages, seconds } = subject.info;
  let thumbnail: string | undefined;
  let decoded: Examined["decoded"] =
    pages.length > maxPages || seconds !== undefined ? "part" : "all";
  const found = () => ({ decoded, ...(thumbnail === undefined ? {} : { thumbnail }) });
  for (const [at, page] of pages.slice(0, maxPages).entries()) {
    if (at > 0 && performance.now() > until) return { ...found(), decoded: "part" };
    try {
      const small = await drawSmall(subject, at, signal);
      if (at === 0 && small.length <= maxThumbnail) thumbnail = base64(small);
      if (!(await decodeFull(subject, { page, at, until }, signal))) decoded = "part";
    } catch (error) {
      signal.throwIfAborted();
      const problem = problemOf(error);
      return { ...found(), decoded: "part", problem: { ...problem, page: at + 1 } };
    }
  }
  return found();
};

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** The page as a thumbnail; for an untiled page, this decodes all of it. */
const drawSmall = (
  { reader, info, config, codecs }: Subject,
  at: number,
  signal: AbortSignal,
): Promise<Uint8Array> => render(planFor(info, at, config), reader, info, codecs, signal);

/**
 * Decodes the largest level of a page block by block, as far as time allows; true if that was all
 * of it.
 */
const decodeFull = async (
  { reader, info, decoder, config }: Subject,
  { page, at, until }: { readonly page: Page; readonly at: number; readonly until: number },
  signal: AbortSignal,
): Promise<boolean> => {
  const plan = planFor(info, at, config);
  for (const region of blocksOf(page)) {
    if (performance.now() > until) return false;
    const { width, height } = region;
    const window = { page: at, region, atLeast: { width, height } };
    const raster = await decoder.read(reader, info, window, plan, signal);
    try {
      await raster.image.raw().toBuffer();
    } catch (error) {
      throw readingFailed(error, factsOf(info.format).name);
    }
  }
  return true;
};
