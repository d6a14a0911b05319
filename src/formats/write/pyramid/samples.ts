import type { Size } from "../../../core/geometry.ts";

/** Interleaved numbers of 8 or 16 bits. */
export type PyramidSamples = Uint8Array | Uint16Array;

/** The layout and meaning of an image's samples. */
export interface SampleLayout {
  /** Channels per pixel, including opacity. */
  readonly samples: 1 | 2 | 3 | 4;
  readonly bits: 8 | 16;
}

/** Whether the last sample of a pixel is opacity, not premultiplied. */
export const hasAlpha = ({ samples }: Pick<SampleLayout, "samples">): boolean =>
  samples === 2 || samples === 4;

/** Room for samples. */
export const newSamples = ({ bits }: Pick<SampleLayout, "bits">, length: number): PyramidSamples =>
  bits === 16 ? new Uint16Array(length) : new Uint8Array(length);

/** The size of an image halved, rounded up. */
export const halfOf = ({ width, height }: Size): Size => ({
  width: Math.ceil(width / 2),
  height: Math.ceil(height / 2),
});

/** Two rows of a level, or its last one twice, and their number of pixels. */
export interface SampleRows {
  readonly above: PyramidSamples;
  readonly below: PyramidSamples;
  readonly width: number;
}

/**
 * Means of two rows and two columns each (or of the last column alone); `into` has room for half a
 * row.
 */
export const halveRows = (
  rows: SampleRows,
  samples: SampleLayout["samples"],
  into: PyramidSamples,
): void => {
  if (hasAlpha({ samples })) halveWeighted(rows, samples, into);
  else halvePlainly(rows, samples, into);
};

const halvePlainly = (
  { above, below, width }: SampleRows,
  samples: number,
  into: PyramidSamples,
): void => {
  const columns = (width + 1) >> 1;
  const last = (width - 1) * samples;
  for (let column = 0; column < columns; column++) {
    const left = column * 2 * samples;
    const right = Math.min(left + samples, last);
    const to = column * samples;
    for (let n = 0; n < samples; n++) {
      const sum =
        (above[left + n] as number) +
        (above[right + n] as number) +
        (below[left + n] as number) +
        (below[right + n] as number);
      into[to + n] = (sum + 2) >> 2;
    }
  }
};

/** Transparent pixels have no weight in the colour. */
const halveWeighted = (
  { above, below, width }: SampleRows,
  samples: number,
  into: PyramidSamples,
): void => {
  const columns = (width + 1) >> 1;
  const last = (width - 1) * samples;
  const alpha = samples - 1;
  for (let column = 0; column < columns; column++) {
    const left = column * 2 * samples;
    const right = Math.min(left + samples, last);
    const to = column * samples;
    const one = above[left + alpha] as number;
    const two = above[right + alpha] as number;
    const three = below[left + alpha] as number;
    const four = below[right + alpha] as number;
    const all = one + two + three + four;
    into[to + alpha] = (all + 2) >> 2;
    for (let n = 0; n < alpha; n++) {
      const sum =
        (above[left + n] as number) * one +
        (above[right + n] as number) * two +
        (below[left + n] as number) * three +
        (below[right + n] as number) * four;
      into[to + n] = all === 0 ? (above[left + n] as number) : Math.floor(sum / all + 0.5);
    }
  }
};

/** Copies one of the adjacent tiles of a row to samples of its own. */
export const cutTile = (
  row: PyramidSamples,
  {
    column,
    across,
    tile,
  }: { readonly column: number; readonly across: number; readonly tile: number },
  into: PyramidSamples,
): void => {
  const width = into.length / tile;
  for (let y = 0; y < tile; y++) {
    const from = (y * across + column) * width;
    into.set(row.subarray(from, from + width), y * width);
  }
};

/** Pixels of another number of channels: without opacity, or with grey as three channels. */
export const withSamples = (
  from: PyramidSamples,
  samples: SampleLayout["samples"],
  wanted: SampleLayout["samples"],
): PyramidSamples => {
  if (samples === wanted) return from;
  const pixels = from.length / samples;
  const to = newSamples({ bits: from instanceof Uint16Array ? 16 : 8 }, pixels * wanted);
  const step = samples < 3 ? 0 : 1;
  const colours = hasAlpha({ samples: wanted }) ? wanted - 1 : wanted;
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let n = 0; n < colours; n++)
      to[pixel * wanted + n] = from[pixel * samples + n * step] as number;
    if (colours < wanted) to[pixel * wanted + colours] = from[(pixel + 1) * samples - 1] as number;
  }
  return to;
};
