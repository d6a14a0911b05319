import type { FileHandle } from "node:fs/promises";
import { machine } from "../config/machine.ts";
import { Config } from "../config/store.ts";
import { fail, ServerError } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { area, type Rect, type Size, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { createCodecs } from "../formats/index.ts";
import { jpeg2000Keys } from "../formats/jpeg2000/file/keys.ts";
import { allowStagedImages, prepareVips } from "../formats/libvips/index.ts";
import { Resources } from "../formats/pool/index.ts";
import { factsOf } from "../formats/registry.ts";
import { type Codec, threadKeys, threadLimits } from "../formats/shared/index.ts";
import { sniff } from "../formats/sniff.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { type FindReduced, stagingEncoder } from "../formats/write/pyramid/index.ts";
import { pageAt, pageIndex } from "../iiif/offer.ts";
import { renderKeys } from "../render/keys.ts";
import { renderOptions } from "../render/options.ts";
import { render } from "../render/render.ts";
import { singleFile } from "../sources/file-reader.ts";
import type { AtomicFile } from "./atomic-file.ts";
import type { OpenedPage } from "./opened-page.ts";
import { writePyramid } from "./pyramid.ts";
import type { PyramidOptions } from "./pyramid-task.ts";

/** The conversion of a file. */
export interface Conversion {
  /** The path of a file, or the identifier of an image that `open` opens. */
  readonly from: string;
  /** Opens the input; absent for a file. Its reader is closed with it. */
  readonly open?: () => Promise<Pick<RangeReader, "close"> & { readonly reader: RangeReader }>;
  /** Counted from 1; of a video, the second. Absent: the first page, or the start. */
  readonly page: number | undefined;
  readonly format: FormatName;
  /** What it is read, rendered and encoded with, except for limits of time and size. */
  readonly config: Config;
  /** For formats with a quality, 1 to 100; as configured where absent. */
  readonly quality: number | undefined;
  /** Of TIFF. */
  readonly pyramid: PyramidOptions;
  /** Limits of time and size, by key; those of a file of one's own where absent. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Called with the progress, 0 to 1, and the number of pixels. */
  readonly onProgress: (share: number, pixels: number) => void;
  /** Finds levels of a pyramid that exist already; absent: none do. */
  readonly findReduced?: FindReduced;
}

/** The result. */
export interface Converted {
  readonly from: FormatName;
  /** Upright, in pixels. */
  readonly size: Size;
  /** Size of the written file in bytes. */
  readonly bytes: number;
  /** Number of pages of the input. */
  readonly pages: number;
}

/** By default a conversion may take as long as needed, since users convert their own files. */
const patience = {
  "processor.timeout": 0,
  "processor.pdf.timeout": 3_600,
  "processor.max_decoded_bytes": 4_294_967_296,
  "processor.max_scanned_pixels": 100_000_000_000,
};

/**
 * Reads a page of a file as the server does, and writes it to another. Throws `unreadable` and
 * `missing` as the server does, `malformed` where the image does not fit the format.
 */
export const convert = async (
  conversion: Conversion,
  output: AtomicFile,
  signal: AbortSignal,
): Promise<Converted> => {
  prepareVips();
  allowStagedImages();
  const config = new Config({
    ...conversion.config.current,
    ...patience,
    ...conversion.limits,
    ...(conversion.quality !== undefined && qualities(conversion.quality)),
  });
  const resources = new Resources(config);
  const codecOf = createCodecs(resources);
  const { reader, close } = await openedBy(conversion);
  let closeThreads: (() => Promise<void>) | undefined;
  try {
    const format = await sniff(reader, signal);
    if (format === "jp2" || format === "dicom") closeThreads = await decodeInThreads(resources);
    const { decoder } = format === undefined ? {} : await codecOf(format);
    if (format === undefined || decoder === undefined)
      throw new ServerError("unreadable", "the file is in no format that this server reads");
    const info = await decoder.info(reader, signal);
    const named =
      conversion.page === undefined ? { page: 1 } : { page: conversion.page, first: true as const };
    const page = pageAt(info, named);
    const size = upright(page.size, page.orientation);
    checkSize(size, conversion.format);
    const { encoding, ...options } = renderOptions(
      config.view({ ...renderKeys, ...encodingKeys })(),
      conversion.format,
    );
    const plan: Plan = {
      ...options,
      encoding,
      identifier: conversion.from,
      page: pageIndex(info, named),
      orientation: page.orientation,
      crop: { x: 0, y: 0, ...size },
      size,
      mirror: false,
      rotation: 0,
      quality: "default",
      format: conversion.format,
      deep: true,
      sourceVersion: "",
    };
    const subject: OpenedPage = { reader, info, page, plan, decoder };
    const bytes =
      conversion.format === "tif"
        ? await writePyramid(subject, output, {
            ...conversion.pyramid,
            onProgress: (share) => conversion.onProgress(share, area(size)),
            findReduced: conversion.findReduced,
            signal,
            stage: (whole) => stage(subject, whole, { path: output.aside, codecOf, signal }),
          })
        : await writePicture(subject, output.file, {
            codec: await codecOf(conversion.format),
            signal,
          });
    return { from: format, size, bytes, pages: info.pages.length };
  } finally {
    await close();
    await closeThreads?.();
  }
};

/**
 * Has JPEG 2000 decoded in as many threads as there are processors; returns what ends them. Other
 * formats do not wait for its many modules to load.
 */
const decodeInThreads = async (resources: Resources): Promise<() => Promise<void>> => {
  const { codestreams, codestreamsInThreads } = await import("../formats/jpeg2000/file/index.ts");
  const settings = resources.config.view(threadKeys);
  const decoding = codestreamsInThreads(resources.config.view(jpeg2000Keys), {
    threads: () => threadLimits({ ...settings(), "processor.niceness": 0 }, machine().processors),
  });
  resources.provide(codestreams, Promise.resolve(decoding));
  return () => decoding.decoder.close();
};

const openedBy = async ({ open, from }: Conversion) => {
  if (open) return open();
  const reader = await singleFile(from);
  return { reader, close: () => reader.close() };
};

const qualities = (quality: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.keys(encodingKeys)
      .filter((key) => key.endsWith(".quality"))
      .map((key) => [key, quality]),
  );

const checkSize = ({ width, height }: Size, format: FormatName): void => {
  const { name, maxSide } = factsOf(format);
  if (width > maxSide || height > maxSide)
    fail(
      "malformed",
      `${name} holds at most ${maxSide} pixels each way; the image has ${width} x ${height}`,
    );
};

const writePicture = async (
  { reader, info, plan, decoder }: OpenedPage,
  file: FileHandle,
  { codec: { encoder }, signal }: { readonly codec: Codec; readonly signal: AbortSignal },
): Promise<number> => {
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  codecs[plan.format] = { ...codecs[plan.format], ...(encoder && { encoder }) };
  const bytes = await render(plan, reader, info, codecs, signal);
  await file.writeFile(bytes);
  return bytes.length;
};

/** The page in a temporary file, as stored but for its colours. */
const stage = async (
  { reader, info, plan, page, decoder }: OpenedPage,
  whole: Rect,
  {
    path,
    codecOf,
    signal,
  }: {
    readonly path: string;
    readonly codecOf: (format: FormatName) => Promise<Codec>;
    readonly signal: AbortSignal;
  },
): Promise<OpenedPage> => {
  const size = { width: whole.width, height: whole.height };
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  codecs["tif"] = { ...codecs["tif"], encoder: stagingEncoder(path) };
  const flat = { ...plan, orientation: 1 as const, crop: whole, size };
  const upPage: Page = { ...page, orientation: 1 };
  const pages = info.pages.map((one) => (one === page ? upPage : one));
  const [first = upPage, ...others] = pages;
  await render(flat, reader, { ...info, pages: [first, ...others] }, codecs, signal);
  const staged = await singleFile(path);
  try {
    const tiff = (await codecOf("tif")).decoder;
    if (tiff === undefined) return fail("internal", "No reader for TIFF.");
    const laid = await tiff.info(staged, signal);
    const [first_] = laid.pages;
    return { reader: staged, info: laid, page: first_, plan: { ...plan, page: 0 }, decoder: tiff };
  } catch (error) {
    await staged.close();
    throw error;
  }
};
