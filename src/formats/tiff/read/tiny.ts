import { area, type Rect, type Size } from "../../../core/geometry.ts";
import type { Colour } from "../../../core/info.ts";
import { open, readingFailed } from "../../libvips/index.ts";

/** libvips takes a TIFF whose tiles are this many times its size, both ways, for a broken one. */
const maxTimes = 4;

/**
 * Whether a cut of a tiled level is so small relative to its tiles that libvips would reject it.
 */
export const isTiny = (part: Size, tile: Size): boolean =>
  part.width * maxTimes <= tile.width && part.height * maxTimes <= tile.height;

/** The whole tile with such a cut at its start, including padding. */
export const paddedTo = (part: Rect, tile: Size): Rect => ({ ...part, ...tile });

/**
 * Removes the padding of a TIFF of one tile, leaving an uncompressed TIFF of `part`'s size. Colours
 * that every output converts are converted here, since their profile is lost.
 */
export const withoutPadding = async (
  file: Uint8Array,
  options: {
    readonly part: Size;
    readonly tile: Size;
    readonly colour: Pick<Colour, "bits" | "model" | "profile">;
    readonly seconds: number;
  },
): Promise<Uint8Array> => {
  const { part, tile, colour, seconds } = options;
  const { profile, model } = colour;
  const kept = profile === "kept";
  const plain = profile === "none" || profile === "srgb";
  const whole = open(file, {
    as: "tif",
    options: { ignoreIcc: plain, limitInputPixels: area(tile) },
    seconds,
  });
  const cut = whole
    .extract({ left: 0, top: 0, width: part.width, height: part.height })
    .toColourspace(spaceOf(model, colour.bits > 8));
  try {
    return await (kept ? cut.keepIccProfile() : cut).tiff({ compression: "none" }).toBuffer();
  } catch (error) {
    throw readingFailed(error, "TIFF");
  }
};

const spaceOf = (model: Colour["model"], deep: boolean): string => {
  if (model === "grey") return deep ? "grey16" : "b-w";
  return deep ? "rgb16" : "srgb";
};
