import type { ColourSpace } from "../../containers/index.ts";
import type { Depth, Values } from "../../shared/index.ts";
import { labToSrgb } from "../../tiff/codecs/index.ts";
import { compressions, photometrics, type SampleLayout } from "../../tiff/structure/index.ts";

/** Converts pixels in place: a half-open range of values, `channels` per pixel. */
export type Convert = (values: Values, from: number, to: number, channels: number) => void;

/**
 * The conversion of a space's channels to plain colours; undefined where none is needed. `stored`
 * are the bits of a value in the file, which was scaled to `depth`.
 */
export const conversionOf = (
  space: ColourSpace,
  depth: Depth,
  stored: number,
): Convert | undefined => {
  const top = 2 ** depth - 1;
  switch (space.coding) {
    case "plain":
      return undefined;
    case "inverted":
      return inverting(space.channels, top);
    case "ycc":
      return ycc(top, fullRange);
    case "video601":
      return ycc(top, { ...fullRange, ...videoRange });
    case "video709":
      return ycc(top, { ...videoRange, ...weights709 });
    case "ycck":
      return ycck(top);
    case "lab":
      return lab(space, top, stored);
    case "extended":
      return extended(top, stored);
  }
};

/** Divides colours by the opacity in the last channel. */
export const unmultiply =
  (depth: Depth): Convert =>
  (values, from, to, channels) => {
    const top = 2 ** depth - 1;
    for (let at = from; at < to; at += channels) {
      const alpha = values[at + channels - 1] ?? 0;
      if (alpha === top || alpha === 0) continue;
      for (let channel = 0; channel < channels - 1; channel++)
        values[at + channel] = Math.min(top, ((values[at + channel] ?? 0) * top) / alpha + 0.5);
    }
  };

const inverting =
  (inverted: number, top: number): Convert =>
  (values, from, to, channels) => {
    for (let at = from; at < to; at += channels)
      for (let channel = 0; channel < inverted; channel++)
        values[at + channel] = top - (values[at + channel] ?? 0);
  };

/** How chroma becomes colours, and the values of black and white. */
interface Weights {
  readonly red: number;
  readonly greenOfRed: number;
  readonly greenOfBlue: number;
  readonly blue: number;
  /** Of 255. */
  readonly black: number;
  readonly white: number;
  /** Range of chroma, of 255. */
  readonly reach: number;
}

/** ITU-R BT.601 in full range, as in JFIF (ISO/IEC 15444-1, I.5.3.3: sYCC). */
const fullRange: Weights = {
  red: 1.402,
  greenOfRed: 0.714_136,
  greenOfBlue: 0.344_136,
  blue: 1.772,
  black: 0,
  white: 255,
  reach: 255,
};

/** As in video, in limited range. */
const videoRange = { black: 16, white: 235, reach: 224 };

/** ITU-R BT.709. */
const weights709 = { red: 1.5748, greenOfRed: 0.468_124, greenOfBlue: 0.187_324, blue: 1.8556 };

const ycc = (top: number, weights: Weights): Convert => {
  const { red, greenOfRed, greenOfBlue, blue } = weights;
  const unit = top / 255;
  const black = weights.black * unit;
  const middle = (top + 1) / 2;
  const lights = 255 / (weights.white - weights.black);
  const differences = 255 / weights.reach;
  const clamp = (value: number): number => (value <= 0 ? 0 : value >= top ? top : value + 0.5);
  return (values, from, to, channels) => {
    for (let at = from; at < to; at += channels) {
      const y = ((values[at] ?? 0) - black) * lights;
      const b = ((values[at + 1] ?? 0) - middle) * differences;
      const r = ((values[at + 2] ?? 0) - middle) * differences;
      values[at] = clamp(y + red * r);
      values[at + 1] = clamp(y - greenOfBlue * b - greenOfRed * r);
      values[at + 2] = clamp(y + blue * b);
    }
  };
};

/** YCC of the complement: inks are what it lacks. */
const ycck = (top: number): Convert => {
  const toLight = ycc(top, fullRange);
  const toInk = inverting(3, top);
  return (...pixels) => {
    toLight(...pixels);
    toInk(...pixels);
  };
};

/** ISO/IEC 15444-2, M.11.7.4.1: by default, a* has a range of 170 and b* of 200. */
const lab = ({ lab: said }: ColourSpace, top: number, stored: number): Convert => {
  const max = 2 ** stored;
  const ranges = said ?? [
    [100, 0],
    [170, max / 2],
    [200, (max * 3) / 8],
  ];
  const value = (scaled: number, channel: number): number => {
    const [range, offset] = ranges[channel] ?? [100, 0];
    return (scaled / top - offset / (max - 1)) * range;
  };
  return (values, from, to, channels) => {
    for (let at = from; at < to; at += channels) {
      const lightness = value(values[at] ?? 0, 0);
      const [a, b] = [value(values[at + 1] ?? 0, 1), value(values[at + 2] ?? 0, 2)];
      const colour = labToSrgb(iccLab, [
        (lightness / 100) * 65_535,
        (a + 128) * 256,
        (b + 128) * 256,
      ]);
      for (const [channel, light] of colour.entries())
        values[at + channel] = (light * top) / 255 + 0.5;
    }
  };
};

/** L* from 0 to 100, a* and b* shifted by 128, in sixteen bits. */
const iccLab: SampleLayout = {
  tile: { width: 1, height: 1 },
  planar: false,
  compression: compressions.none,
  predictor: 1,
  photometric: photometrics.iccLab,
  samples: 3,
  bits: 16,
  sampleFormat: "unsigned",
  fillOrder: 1,
};

/** e-sRGB (PIMA 7667): sRGB with room for colours beyond it, which are clipped. */
const extended = (top: number, stored: number): Convert => {
  const max = 2 ** stored;
  const scale = (max - 1) / ((255 * max) / 512);
  const black = (0.375 * max) / ((255 * max) / 512);
  return (values, from, to, channels) => {
    for (let at = from; at < to; at += channels)
      for (let channel = 0; channel < 3; channel++) {
        const light = ((values[at + channel] ?? 0) / top) * scale - black;
        values[at + channel] = Math.max(0, Math.min(1, light)) * top + 0.5;
      }
  };
};
