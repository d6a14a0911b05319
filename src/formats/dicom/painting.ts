import { fail } from "../../core/errors.ts";
import type { ReducedSamples } from "../shared/index.ts";
import type { Description } from "./description.ts";
import { type GreyMeaning, lightOf, meaningOf } from "./grey.ts";
import type { Palette } from "./palette.ts";
import type { StoredPart } from "./stored.ts";

/** Converts stored values to pixels. */
export interface Painter {
  readonly channels: 1 | 3;
  readonly depth: 8 | 16;
  /**
   * Converts pixels of a region, in a half-open range, into `into`, which has room for the whole
   * region.
   */
  readonly paint: Paint;
}

type Paint = (part: StoredPart, into: ReducedSamples, from: number, to: number) => void;

/** The range of all values that can be stored. */
export const storableRange = ({ stored, signed }: Description): readonly [number, number] =>
  signed ? [-(2 ** (stored - 1)), 2 ** (stored - 1) - 1] : [0, 2 ** stored - 1];

/** Maximum number of values for which a table is made. */
const maxTabled = 65_536;

/**
 * Converts grey values; `range` is that of their meanings, used where the file does not say how to
 * display them.
 */
export const greyPainter = (
  description: Description,
  meaning: GreyMeaning,
  range: readonly [number, number],
): Painter => {
  const depth = description.stored > 8 ? 16 : 8;
  const top = 2 ** depth - 1;
  const means = meaningOf(meaning);
  const light = lightOf(meaning, range);
  const shade = (stored: number): number => Math.round(light(means(stored)) * top);
  const [min, greatest] = storableRange(description);
  if (description.float || greatest - min >= maxTabled)
    return {
      channels: 1,
      depth,
      paint({ values }, into, from, to) {
        for (let at = from; at < to; at++) into[at] = shade(values[at] ?? 0);
      },
    };
  const table = Uint16Array.from({ length: greatest - min + 1 }, (_, at) => shade(at + min));
  return {
    channels: 1,
    depth,
    paint({ values }, into, from, to) {
      for (let at = from; at < to; at++) into[at] = table[(values[at] ?? 0) - min] ?? 0;
    },
  };
};

/** Maps values through a palette; values outside it get its first or last colour. */
export const palettePainter = ({ first, depth, channels }: Palette): Painter => ({
  channels: 3,
  depth,
  paint({ values }, into, from, to) {
    for (const [channel, colours] of channels.entries()) {
      const last = colours.length - 1;
      for (let at = from; at < to; at++) {
        const index = Math.max(0, Math.min(last, (values[at] ?? 0) - first));
        into[at * 3 + channel] = colours[index] ?? 0;
      }
    }
  },
});

/** Luma and chroma ranges: black and white, of 255, and the reach of chroma. */
interface Weights {
  readonly black: number;
  readonly scale: number;
  readonly differences: number;
}

/** PS3.3, C.7.6.3.1.2: CCIR 601 in full range and in limited range. */
const full: Weights = { black: 0, scale: 1, differences: 1 };
const partial: Weights = { black: 16, scale: 255 / 219, differences: 255 / 224 };

/** Converts RGB and YBR. */
export const colourPainter = (description: Description): Painter => {
  const { stored, signed, float } = description;
  if (signed || float || stored > 16)
    fail("unreadable", "Expected unsigned DICOM colours of up to 16 bits.");
  const depth = stored > 8 ? 16 : 8;
  const top = 2 ** depth - 1;
  const unit = top / (2 ** stored - 1);
  const clamp = (value: number): number => (value <= 0 ? 0 : value >= top ? top : value + 0.5);
  const paintRgb: Paint = ({ values }, into, from, to) => {
    if (unit === 1) into.set(values.subarray(from * 3, to * 3), from * 3);
    else for (let at = from * 3; at < to * 3; at++) into[at] = Math.round((values[at] ?? 0) * unit);
  };
  const paintYbr = ({ black, scale, differences }: Weights): Paint => {
    const dark = (black * top) / 255;
    const middle = 2 ** (stored - 1) * unit;
    return ({ values }, into, from, to) => {
      for (let at = from * 3; at < to * 3; at += 3) {
        const y = ((values[at] ?? 0) * unit - dark) * scale;
        const b = ((values[at + 1] ?? 0) * unit - middle) * differences;
        const r = ((values[at + 2] ?? 0) * unit - middle) * differences;
        into[at] = clamp(y + 1.402 * r);
        into[at + 1] = clamp(y - 0.344_136 * b - 0.714_136 * r);
        into[at + 2] = clamp(y + 1.772 * b);
      }
    };
  };
  const [paintFull, paintPartial] = [paintYbr(full), paintYbr(partial)];
  return {
    channels: 3,
    depth,
    paint(part, ...pixels) {
      const { photometric } = part;
      if (!photometric.startsWith("YBR")) paintRgb(part, ...pixels);
      else if (photometric.startsWith("YBR_PARTIAL")) paintPartial(part, ...pixels);
      else paintFull(part, ...pixels);
    },
  };
};
