import sharp, { type Sharp } from "sharp";
import { fail } from "../core/errors.ts";

/** A finished picture as plain numbers. */
export interface Finished {
  readonly width: number;
  readonly height: number;
  /** To a pixel; the last of 2 or 4 is transparency, not multiplied into the others. */
  readonly samples: 1 | 2 | 3 | 4;
  readonly bits: 8 | 16;
  /** Pixel by pixel; of 16 bits, the least significant byte first. */
  readonly data: Uint8Array;
  /** ICC; sRGB, or shades of grey with its curve, where there is none. */
  readonly profile: Uint8Array | undefined;
}

/** Draws a picture and takes out its samples and its profile, as an encoder of libvips' would have got them. */
export const finishedPicture = async (image: Sharp): Promise<Finished> => {
  // Samples alone come without a profile.
  const file = await image.tiff({ compression: "none", predictor: "none" }).toBuffer();
  const opened = sharp(file, { limitInputPixels: false, ignoreIcc: true });
  const { icc, depth, channels, space } = await opened.metadata();
  const deep = depth === "ushort";
  const grey = channels < 3;
  if ((depth !== "uchar" && !deep) || channels > 4)
    return fail(
      "internal",
      `Expected a finished picture of 8 or 16 bits, got ${channels} samples of ${depth} in ${space}.`,
    );
  const { data, info } = await opened
    .toColourspace(deep ? (grey ? "grey16" : "rgb16") : grey ? "b-w" : "srgb")
    .raw({ depth })
    .toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    samples: info.channels,
    bits: deep ? 16 : 8,
    data,
    profile: icc,
  };
};
