import type { Settings } from "../config/keys.ts";
import type { FormatName } from "../core/formats.ts";
import type { FrameThreads } from "./dicom/threads.ts";
import type { ForeignFormat } from "./heif-jxl/contract.ts";
import type { HeifFormat } from "./heif-jxl/heif/kinds.ts";
import type { ForeignThreads } from "./heif-jxl/threads.ts";
import type { Codestreams } from "./jpeg2000/file/codestreams.ts";
import type { VipsFormat } from "./libvips/description.ts";
import type { PdfThreads } from "./pdf/threads.ts";
import type { MemoryReservations } from "./pool/memory-reservations.ts";
import type { Codec, Decoder, Encoder } from "./shared/codec.ts";
import type { readingKeys } from "./shared/decoding-keys.ts";
import type { SvgProcesses } from "./svg/processes.ts";
import type { TiffParts } from "./tiff/decoder.ts";
import type { VideoFormat } from "./video/decoder.ts";
import type { VideoFrames } from "./video/frames.ts";
import type { SampleEncoders } from "./write/samples/threads.ts";

/** What reads and writes each format; nothing is loaded before it is asked for. */
export type Codecs = Readonly<Record<FormatName, () => Promise<Codec>>>;

/** The table of formats: one line each. */
export const createCodecs = (
  settings: () => Settings<typeof readingKeys>,
  parts: TiffParts & {
    readonly codestreams?: Codestreams;
    readonly pdf?: PdfThreads;
    readonly samples?: SampleEncoders;
    readonly foreign?: ForeignThreads;
    readonly svg?: SvgProcesses;
    readonly frames?: FrameThreads;
    /** The memory that programs share with threads; absent: nobody counts. */
    readonly reservations?: MemoryReservations;
  } = {},
): Codecs => {
  const codec = (format: FormatName, reading: Promise<Decoder>): Promise<Codec> =>
    codecOf(format, reading, parts.samples);
  const table: Codecs = {
    jpg: () => codec("jpg", vips("jpg")),
    png: () => codec("png", png()),
    tif: () => codec("tif", tiff()),
    gif: () => codec("gif", vips("gif")),
    webp: () => codec("webp", vips("webp")),
    avif: () => codec("avif", sequence("avif", vips("avif"))),
    jp2: () => codec("jp2", jpeg2000()),
    pdf: () => codec("pdf", pdf()),
    heic: () =>
      codec(
        "heic",
        whereThere("heic", () => sequence("heic", foreign("heic"))),
      ),
    jxl: () =>
      codec(
        "jxl",
        whereThere("jxl", () => foreign("jxl")),
      ),
    bmp: () => codec("bmp", bmp()),
    xpm: () => codec("xpm", xpm()),
    avi: () =>
      codec(
        "avi",
        whereThere("avi", () => video("avi")),
      ),
    flv: () =>
      codec(
        "flv",
        whereThere("flv", () => video("flv")),
      ),
    mov: () =>
      codec(
        "mov",
        whereThere("mov", () => video("mov")),
      ),
    mp4: () =>
      codec(
        "mp4",
        whereThere("mp4", () => video("mp4")),
      ),
    mpg: () =>
      codec(
        "mpg",
        whereThere("mpg", () => video("mpg")),
      ),
    webm: () =>
      codec(
        "webm",
        whereThere("webm", () => video("webm")),
      ),
    dicom: () => codec("dicom", dicom()),
    svg: () => codec("svg", whereThere("svg", svg)),
  };
  const vips = async (format: VipsFormat): Promise<Decoder> =>
    (await import("./libvips/decoder.ts")).createVipsDecoder(format, settings);
  const png = async (): Promise<Decoder> =>
    (await import("./png/decoder.ts")).createPngDecoder(settings);
  const tiff = async (): Promise<Decoder> =>
    (await import("./tiff/decoder.ts")).createTiffDecoder(settings, parts);
  const bmp = async (): Promise<Decoder> =>
    (await import("./bmp/decoder.ts")).createBmpDecoder(settings);
  const xpm = async (): Promise<Decoder> =>
    (await import("./xpm/decoder.ts")).createXpmDecoder(settings);
  const dicom = async (): Promise<Decoder> => {
    const { createDicomDecoder } = await import("./dicom/decoder.ts");
    const { createFrameThreads, frameThreadLimits } = await import("./dicom/threads.ts");
    const { codestreamsHere } = await import("./jpeg2000/file/codestreams.ts");
    return createDicomDecoder(settings, {
      codestreams: parts.codestreams ?? (await codestreamsHere(settings)),
      threads:
        parts.frames ?? createFrameThreads(() => frameThreadLimits(settings(), { threads: 1 })),
    });
  };
  const jpeg2000 = async (): Promise<Decoder> => {
    const { createJpeg2000Decoder } = await import("./jpeg2000/decoder.ts");
    const { codestreamsHere } = await import("./jpeg2000/file/codestreams.ts");
    const codestreams = parts.codestreams ?? (await codestreamsHere(settings));
    return createJpeg2000Decoder(settings, codestreams, parts.threads);
  };
  const pdf = async (): Promise<Decoder> => {
    const { createPdfDecoder } = await import("./pdf/decoder.ts");
    const { createPdfThreads, pdfThreadLimits } = await import("./pdf/threads.ts");
    const threads =
      parts.pdf ?? createPdfThreads(() => pdfThreadLimits(settings(), { threads: 1 }));
    return createPdfDecoder(settings, threads);
  };
  const svg = async (): Promise<Decoder> => {
    const { createSvgDecoder } = await import("./svg/decoder.ts");
    const { createSvgProcesses, svgProcessLimits } = await import("./svg/processes.ts");
    const processes =
      parts.svg ?? createSvgProcesses(() => svgProcessLimits(settings(), { threads: 1 }));
    return createSvgDecoder(settings, processes);
  };
  let foreignThreads = parts.foreign;
  const foreign = async (format: ForeignFormat): Promise<Decoder> => {
    const { createForeignDecoder } = await import("./heif-jxl/decoder.ts");
    const { createForeignThreads, foreignThreadLimits } = await import("./heif-jxl/threads.ts");
    foreignThreads ??= createForeignThreads(() => foreignThreadLimits(settings(), { threads: 1 }));
    return createForeignDecoder(format, settings, foreignThreads);
  };
  let frames: Promise<VideoFrames> | undefined;
  const videoFrames = (): Promise<VideoFrames> => {
    frames ??= import("./video/frames.ts").then(({ createVideoFrames }) =>
      createVideoFrames(settings, parts.reservations),
    );
    return frames;
  };
  const video = async (format: VideoFormat): Promise<Decoder> =>
    (await import("./video/decoder.ts")).createVideoDecoder(format, settings, await videoFrames());
  const sequence = async (format: HeifFormat, still: Promise<Decoder>): Promise<Decoder> =>
    (await import("./heif-jxl/sequence.ts")).createSequenceDecoder(
      format,
      await still,
      settings,
      await videoFrames(),
    );
  /** Reads a format by what need not be there: what is missing is told to who asks for a picture. */
  const whereThere = async (format: FormatName, make: () => Promise<Decoder>): Promise<Decoder> => {
    const { demandReader } = await import("./availability.ts");
    let making: Promise<Decoder> | undefined;
    const decoder = async (): Promise<Decoder> => {
      await demandReader(format, settings);
      making ??= make().catch((error: unknown) => {
        making = undefined;
        throw error;
      });
      return making;
    };
    return {
      info: async (...asked) => (await decoder()).info(...asked),
      read: async (...asked) => (await decoder()).read(...asked),
    };
  };
  return lasting(table);
};

const codecOf = async (
  format: FormatName,
  reading: Promise<Decoder>,
  samples: SampleEncoders | undefined,
): Promise<Codec> => {
  const [{ encoders }, decoder] = await Promise.all([import("./write/encode.ts"), reading]);
  const encoder = encoders[format];
  if (encoder === undefined) return { decoder };
  const encode: Encoder["encode"] = (image, plan, signal) =>
    encoder.encode(image, plan, signal, samples);
  return { decoder, encoder: { ...encoder, encode } };
};

/** Makes each codec once, so that what a decoder remembers of open files lasts. */
const lasting = (table: Codecs): Codecs => {
  const made = new Map<FormatName, Promise<Codec>>();
  const once = (format: FormatName) => (): Promise<Codec> => {
    const before = made.get(format);
    if (before !== undefined) return before;
    const codec = table[format]();
    codec.catch(() => made.delete(format));
    made.set(format, codec);
    return codec;
  };
  return {
    jpg: once("jpg"),
    png: once("png"),
    tif: once("tif"),
    gif: once("gif"),
    webp: once("webp"),
    avif: once("avif"),
    jp2: once("jp2"),
    pdf: once("pdf"),
    heic: once("heic"),
    jxl: once("jxl"),
    bmp: once("bmp"),
    xpm: once("xpm"),
    avi: once("avi"),
    flv: once("flv"),
    mov: once("mov"),
    mp4: once("mp4"),
    mpg: once("mpg"),
    webm: once("webm"),
    dicom: once("dicom"),
    svg: once("svg"),
  };
};
