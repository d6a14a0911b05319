import { type Rect, round } from "../core/geometry.ts";
import type { RasterSamples } from "./samples.ts";

/** Pixels to be drawn over an image. */
interface Patch {
  /** Red, green, blue and alpha, 0 to 255, not premultiplied, row by row without padding. */
  readonly pixels: Uint8Array;
  /** Set where the result may contain nothing but black and white. */
  readonly isBitonal: boolean;
}

/** Draws pixels over a rectangle inside the image. Grey images get their luma. */
export const blend = (samples: RasterSamples, at: Rect, { pixels, isBitonal }: Patch): void => {
  const { channels, max } = samples;
  const colours = channels < 3 ? 1 : 3;
  const lay = colours < channels ? layOnAlpha : layOnOpaque;
  const look = { max, isBitonal };
  const colour = new Float64Array(colours);
  for (let y = 0; y < at.height; y++) {
    const row = samples.row(at.y + y);
    for (let x = 0; x < at.width; x++) {
      const from = (y * at.width + x) * 4;
      const alpha = (pixels[from + 3] as number) / 255;
      if (alpha === 0) continue;
      takeColour(pixels, from, colour);
      lay({ row, at: (at.x + x) * channels }, { colour, alpha }, look);
    }
  }
};

/** Sets a pixel to a colour, or to its Rec. 709 luma where it has one sample only. */
const takeColour = (pixels: Uint8Array, from: number, into: Float64Array): void => {
  const red = pixels[from] as number;
  const green = pixels[from + 1] as number;
  const blue = pixels[from + 2] as number;
  if (into.length === 1) into[0] = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  else into.set([red, green, blue]);
};

interface Pixel {
  readonly row: Uint8Array | Uint16Array;
  /** Index of its first sample. */
  readonly at: number;
}

interface Paint {
  /** 0 to 255. */
  readonly colour: Float64Array;
  /** 0 to 1. */
  readonly alpha: number;
}

interface CanvasDepth {
  readonly max: number;
  readonly isBitonal: boolean;
}

const layOnOpaque = ({ row, at }: Pixel, { colour, alpha }: Paint, look: CanvasDepth): void => {
  mix({ row, at }, { colour, alpha }, { ...look, under: 1 - alpha });
};

const layOnAlpha = ({ row, at }: Pixel, { colour, alpha }: Paint, look: CanvasDepth): void => {
  const end = at + colour.length;
  const under = ((row[end] as number) / look.max) * (1 - alpha);
  mix({ row, at }, { colour, alpha }, { ...look, under });
  row[end] = round((alpha + under) * look.max);
};

/** Weighted mean: the paint's alpha, and `under` of the pixel below. */
const mix = (
  { row, at }: Pixel,
  { colour, alpha }: Paint,
  { max, isBitonal, under }: CanvasDepth & { readonly under: number },
): void => {
  for (let c = 0; c < colour.length; c++) {
    const over = ((colour[c] as number) / 255) * max * alpha;
    const mixed = round((over + (row[at + c] as number) * under) / (alpha + under));
    row[at + c] = isBitonal ? (mixed * 2 > max ? max : 0) : mixed;
  }
};
