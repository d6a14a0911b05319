import type { Sharp, TiffOptions } from "sharp";
import type { Plan } from "../../core/plan.ts";
import { type Encoder, libjxl, openjpeg, ours } from "../shared/index.ts";
import { setUprightAvif } from "./avif-upright.ts";
import { encodeJpeg } from "./encode-jpeg.ts";
import { encodePdf } from "./encode-pdf.ts";
import { flag, named, number } from "./encode-values.ts";
import { type SampleEncoders, sampleEncodersHere } from "./samples/index.ts";
import { setUpright } from "./tiff-upright.ts";

/** The encoders that libvips lacks, and their time limit. */
interface Tools {
  readonly encoders: SampleEncoders;
  readonly signal: AbortSignal;
}

/** Writes one format. */
export interface FormatEncoder extends Encoder {
  /** Without `samples`, those encoders run on the calling thread. */
  encode(
    image: Sharp,
    plan: Plan,
    signal?: AbortSignal,
    samples?: SampleEncoders,
  ): Promise<Uint8Array>;
}

/** Every format that can be written. */
export const encoders = {
  jpg: { encode: (image, plan) => encodeJpeg(image, plan) },
  png: { encode: (image, plan) => encodePng(image, plan) },
  tif: { encode: (image, plan) => encodeTiff(image, plan) },
  gif: { encode: (image, plan) => encodeGif(image, plan) },
  webp: { encode: (image, plan) => encodeWebp(image, plan) },
  avif: { encode: (image, plan) => encodeAvif(image, plan) },
  jp2: {
    by: openjpeg,
    encode: async (image, plan, ...tools) =>
      (await import("./encode-jp2.ts")).encodeJp2(image, plan, toolsOf(...tools)),
  },
  pdf: { by: ours, encode: (image, plan) => encodePdf(image, plan) },
  jxl: {
    by: libjxl,
    encode: async (image, plan, ...tools) =>
      (await import("./encode-jxl.ts")).encodeJxl(image, plan, toolsOf(...tools)),
  },
} as const satisfies Readonly<Record<string, FormatEncoder>>;

const toolsOf = (signal = new AbortController().signal, samples = sampleEncodersHere()): Tools => ({
  encoders: samples,
  signal,
});

const encodePng = (image: Sharp, { encoding, quality }: Plan): Promise<Uint8Array> =>
  image
    .png({
      compressionLevel: number(encoding, "level", 2),
      // Two shades of one channel need no palette search: one bit is enough.
      ...(quality === "bitonal"
        ? { palette: false, colours: 2 }
        : flag(encoding, "palette") && { palette: true, effort: 1 }),
    })
    .toBuffer();

const encodeTiff = async (image: Sharp, { encoding, quality }: Plan): Promise<Uint8Array> => {
  const compression = tiffCompression(named(encoding, "compression"));
  // JPEG has no one-bit samples.
  const bit = quality === "bitonal" && compression !== "jpeg";
  const options: TiffOptions = {
    compression,
    quality: number(encoding, "quality", 80),
    // Prediction is arithmetic on whole samples.
    predictor: bit || !predicted.has(compression) ? "none" : "horizontal",
    ...(bit && { bitdepth: 1 }),
  };
  return setUpright(await image.tiff(options).toBuffer());
};

const predicted: ReadonlySet<string> = new Set(["lzw", "deflate"]);

const tiffCompression = (value: string): "none" | "lzw" | "deflate" | "jpeg" | "packbits" =>
  value === "lzw" || value === "deflate" || value === "jpeg" || value === "packbits"
    ? value
    : "none";

const encodeGif = (image: Sharp, { encoding }: Plan): Promise<Uint8Array> =>
  image
    .gif({ effort: number(encoding, "effort", 1), dither: number(encoding, "dither", 0) })
    .toBuffer();

const encodeWebp = (image: Sharp, { encoding }: Plan): Promise<Uint8Array> =>
  image
    .webp({
      quality: number(encoding, "quality", 80),
      effort: number(encoding, "effort", 0),
      lossless: flag(encoding, "lossless"),
    })
    .toBuffer();

const encodeAvif = async (image: Sharp, { encoding }: Plan): Promise<Uint8Array> =>
  setUprightAvif(
    await image
      .avif({ quality: number(encoding, "quality", 50), effort: number(encoding, "effort", 0) })
      .toBuffer(),
  );
