import type { Sharp } from "sharp";
import type { Size } from "../../core/geometry.ts";
import type { ColourSpace } from "../containers/index.ts";
import type { DecodedPixels } from "../shared/index.ts";
import {
  type AssembledField,
  assembleTiff,
  compressions,
  photometrics,
  tags,
} from "../tiff/structure/index.ts";
import { open } from "./opening.ts";

/** The format of pixels for a pipeline. */
export interface PipelineFormat {
  readonly size: Size;
  readonly model: ColourSpace["model"];
  /** The ICC profile that belongs to the pixels. */
  readonly profile: Uint8Array | undefined;
  readonly seconds: number;
}

/** A pipeline that starts with pixels in memory. */
export const rasterOf = (picture: DecodedPixels, dressing: PipelineFormat): Sharp => {
  const { size, model, profile, seconds } = dressing;
  const options = { limitInputPixels: size.width * size.height };
  const { values, channels, depth } = picture;
  if (profile === undefined && model !== "cmyk" && depth === 8 && isCount(channels))
    return open(bytesOf(values), { options: { ...options, raw: { ...size, channels } }, seconds });
  const ignoreIcc = profile === undefined;
  return open(asTiff(picture, dressing), {
    as: "tif",
    options: { ...options, ignoreIcc },
    seconds,
  });
};

const isCount = (channels: number): channels is 1 | 2 | 3 | 4 => channels >= 1 && channels <= 4;

const bytesOf = ({ buffer, byteOffset, byteLength }: DecodedPixels["values"]): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Pixels with a profile, inks or sixteen bits: libvips interprets them correctly from a TIFF. */
const asTiff = (picture: DecodedPixels, { size, model, profile }: PipelineFormat): Uint8Array => {
  const { values, channels, depth } = picture;
  const colours = colourCounts[model];
  const { file, slots } = assembleTiff({
    littleEndian,
    ...size,
    fields: [
      shorts(tags.bitsPerSample, ...Array.from({ length: channels }, () => depth)),
      shorts(tags.compression, compressions.none),
      shorts(tags.photometric, photometricOf[model]),
      shorts(tags.samplesPerPixel, channels),
      ...(channels > colours ? [shorts(tags.extraSamples, unassociatedAlpha)] : []),
      ...(profile ? [bytesField(tags.iccProfile, profile)] : []),
    ],
    lengths: [values.byteLength],
  });
  slots[0]?.set(bytesOf(values));
  return file;
};

const colourCounts = { grey: 1, rgb: 3, cmyk: 4 } as const;

const photometricOf = {
  grey: photometrics.blackIsZero,
  rgb: photometrics.rgb,
  cmyk: photometrics.separated,
} as const;

/** ExtraSamples (338) of TIFF 6.0. */
const unassociatedAlpha = 2;

/** The machine's byte order, so that values can be copied directly. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const shortType = 3;
const undefinedType = 7;

const shorts = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(Uint16Array.from(values).buffer);
  return { tag, type: shortType, count: values.length, bytes };
};

const bytesField = (tag: number, bytes: Uint8Array): AssembledField => ({
  tag,
  type: undefinedType,
  count: bytes.length,
  bytes,
});
