import { photometrics, type SampleLayout } from "../structure/index.ts";

/** The values of black and white, where the file states them (tags 340 and 341). */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** Bits of a rewritten sample. */
export const outputBits = (layout: SampleLayout): 8 | 16 =>
  isLab(layout) || (layout.bits <= 8 && layout.sampleFormat !== "float") ? 8 : 16;

/** Whether a directory's colours are CIE L*a*b*. */
export const isLab = ({ photometric }: SampleLayout): boolean =>
  photometric === photometrics.cieLab || photometric === photometrics.iccLab;

/**
 * Converts stored samples to unsigned ones of `outputBits`: integers by the range of their bits,
 * floating point ones from 0 to 1. Signed and floating point samples use the file's range, if
 * stated; values outside are clipped, including negative ones. Floating point colours are linear,
 * and get the curve of sRGB, unless there is a profile.
 */
export const scaling = (
  layout: SampleLayout,
  options: { readonly range: ValueRange | undefined; readonly profiled: boolean },
): ((value: number) => number) => {
  const top = 2 ** outputBits(layout) - 1;
  const { low, high } = options.range ?? naturalRange(layout);
  const scale = top / (high - low);
  const straight = (value: number): number => {
    const scaled = (value - low) * scale;
    return scaled > 0 ? Math.min(scaled, top) : 0;
  };
  const isLight =
    layout.sampleFormat === "float" && layout.photometric === photometrics.rgb && !options.profiled;
  return isLight ? (value) => top * srgbCurve(straight(value) / top) : straight;
};

const naturalRange = ({ bits, sampleFormat }: SampleLayout): ValueRange => {
  if (sampleFormat === "float") return { low: 0, high: 1 };
  return { low: 0, high: 2 ** bits - 1 };
};

const srgbCurve = (light: number): number =>
  light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;

/** One L*a*b* colour (TIFF 6.0 section 23, white of D50) as sRGB, each 0 to 255. */
export const labToSrgb = (
  layout: SampleLayout,
  stored: readonly [number, number, number],
): readonly [number, number, number] => {
  const unit = 2 ** (layout.bits - 8);
  const lightness = (stored[0] / (2 ** layout.bits - 1)) * 100;
  const y = (lightness + 16) / 116;
  const x = y + chroma(layout, stored[1] / unit) / 500;
  const z = y - chroma(layout, stored[2] / unit) / 200;
  const [lx, ly, lz] = [0.9642 * cube(x), cube(y), 0.8249 * cube(z)];
  // From XYZ under D50 to linear sRGB, including Bradford's adaptation.
  return [
    byte(3.1338561 * lx - 1.6168667 * ly - 0.4906146 * lz),
    byte(-0.9787684 * lx + 1.9161415 * ly + 0.033454 * lz),
    byte(0.0719453 * lx - 0.2289914 * ly + 1.4052427 * lz),
  ];
};

/** CIELAB's are signed, ICC's are shifted by 128. */
const chroma = ({ photometric }: SampleLayout, value: number): number => {
  if (photometric === photometrics.iccLab) return value - 128;
  return value >= 128 ? value - 256 : value;
};

const cube = (value: number): number =>
  value > 6 / 29 ? value ** 3 : (3 * 36 * (value - 4 / 29)) / 841;

const byte = (light: number): number => 255 * srgbCurve(Math.max(0, Math.min(1, light)));
