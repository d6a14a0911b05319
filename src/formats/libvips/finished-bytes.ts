import sharp, { type Sharp } from "sharp";
import { fail } from "../../core/errors.ts";

import type { FinishedImage } from "../shared/index.ts";

/**
 * Renders an image and returns its samples and its profile, as libvips' encoders would have got
 * them.
 */
export const finishedPicture = async (image: Sharp): Promise<FinishedImage> => {
  // Samples alone come without a profile.
  const file = await image.tiff({ compression: "none", predictor: "none" }).toBuffer();
  const opened = sharp(file, { limitInputPixels: false, ignoreIcc: true });
  const { icc, depth, channels, space } = await opened.metadata();
  const deep = depth === "ushort";
  const grey = channels < 3;
  if ((depth !== "uchar" && !deep) || channels > 4)
    return fail(
      "internal",
      `Expected a finished image of 8 or 16 bits, got ${channels} samples of ${depth} in ${space}.`,
    );
  // For 8-bit grey with transparency, sharp returns the grey alone.
  const isSpread = channels === 2 && !deep;
  const { data, info } = await opened
    .toColourspace(deep ? (grey ? "grey16" : "rgb16") : channels === 1 ? "b-w" : "srgb")
    .raw({ depth })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (info.channels !== (isSpread ? 4 : channels))
    return fail(
      "internal",
      `Expected a finished image of ${channels} samples per pixel, got ${info.channels}.`,
    );
  return {
    width,
    height,
    samples: isSpread ? 2 : info.channels,
    bits: deep ? 16 : 8,
    data: isSpread ? greyAndAlpha(data) : data,
    profile: icc,
  };
};

/** The first and the last of four samples per pixel. */
const greyAndAlpha = (rgba: Uint8Array): Uint8Array => {
  const pairs = new Uint8Array(rgba.length / 2);
  for (let from = 0, to = 0; to < pairs.length; from += 4, to += 2) {
    pairs[to] = rgba[from] as number;
    pairs[to + 1] = rgba[from + 3] as number;
  }
  return pairs;
};
