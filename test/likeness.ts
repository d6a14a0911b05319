import sharp from "sharp";

/** Pixels as plain numbers, interleaved. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** How far two images differ, in steps of 255. */
export interface Difference {
  readonly mean: number;
  readonly max: number;
}

/** The pixels of an encoded image as 8-bit sRGB: three channels, or four with `alpha`. */
export const pixelsOf = async (
  encoded: Uint8Array,
  options: { readonly alpha?: boolean } = {},
): Promise<Pixels> => {
  const image = sharp(encoded, { limitInputPixels: false }).toColourspace("srgb");
  const { data, info } = await (options.alpha ? image.ensureAlpha() : image.removeAlpha())
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
};

/** Compares two images of one size; throws where their sizes differ. */
export const difference = (one: Pixels, other: Pixels): Difference => {
  if (one.width !== other.width || one.height !== other.height || one.channels !== other.channels)
    throw new Error(`Expected pictures of one size, got ${spell(one)} and ${spell(other)}`);
  let sum = 0;
  let max = 0;
  for (let n = 0; n < one.data.length; n++) {
    const apart = Math.abs((one.data[n] ?? 0) - (other.data[n] ?? 0));
    sum += apart;
    if (apart > max) max = apart;
  }
  return { mean: sum / one.data.length, max };
};

const spell = ({ width, height, channels }: Pixels): string => `${width}x${height}x${channels}`;

/** A part of an image. */
export const partOf = (
  { data, width, channels }: Pixels,
  rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Pixels => {
  const part = new Uint8Array(rect.width * rect.height * channels);
  for (let row = 0; row < rect.height; row++) {
    const from = ((rect.y + row) * width + rect.x) * channels;
    part.set(data.subarray(from, from + rect.width * channels), row * rect.width * channels);
  }
  return { data: part, width: rect.width, height: rect.height, channels };
};

/** Joins tiles by their top left corners. */
export const assemble = (
  size: { readonly width: number; readonly height: number },
  tiles: readonly { readonly x: number; readonly y: number; readonly pixels: Pixels }[],
): Pixels => {
  const channels = tiles[0]?.pixels.channels ?? 3;
  const data = new Uint8Array(size.width * size.height * channels);
  for (const { x, y, pixels } of tiles)
    for (let row = 0; row < pixels.height; row++)
      data.set(
        pixels.data.subarray(row * pixels.width * channels, (row + 1) * pixels.width * channels),
        ((y + row) * size.width + x) * channels,
      );
  return { data, ...size, channels };
};

/**
 * How much worse two images match along grid lines than elsewhere: the mean difference of the
 * pixels that touch a line, minus that of all others. Near 0 or below where no line shows.
 */
export const lineExcess = (one: Pixels, other: Pixels, tile: number): number => {
  const sums = { line: 0, lineCount: 0, rest: 0, restCount: 0 };
  const touches = (at: number, length: number): boolean =>
    (at % tile === 0 && at > 0) || (at % tile === tile - 1 && at < length - 1);
  for (let y = 0; y < one.height; y++)
    for (let x = 0; x < one.width; x++) {
      const onLine = touches(x, one.width) || touches(y, one.height);
      for (let c = 0; c < one.channels; c++) {
        const n = (y * one.width + x) * one.channels + c;
        const apart = Math.abs((one.data[n] ?? 0) - (other.data[n] ?? 0));
        if (onLine) {
          sums.line += apart;
          sums.lineCount++;
        } else {
          sums.rest += apart;
          sums.restCount++;
        }
      }
    }
  return sums.line / Math.max(1, sums.lineCount) - sums.rest / Math.max(1, sums.restCount);
};
