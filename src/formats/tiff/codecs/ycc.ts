import type { Steps } from "../../../core/steps.ts";
import { readNumbers, type StoredLevel, type TiffFile, tags } from "../structure/index.ts";

/** The meaning of a YCbCr image's samples (TIFF 6.0, section 21). */
export interface YccMeaning {
  /** YCbCrCoefficients (529): the weights of red, green and blue in Y. */
  readonly luma: readonly [number, number, number];
  /**
   * ReferenceBlackWhite (532): the codes of black and white of Y, and of zero and maximum of Cb and
   * of Cr.
   */
  readonly reference: readonly [number, number, number, number, number, number];
}

/** Parses the meaning of a YCbCr level's samples; missing or absurd values are as in JPEG. */
export function* yccMeaning(file: TiffFile, level: StoredLevel): Steps<YccMeaning> {
  const { entries } = level.directory;
  function* numbers(tag: number, usual: readonly number[]): Steps<readonly number[]> {
    const entry = entries.get(tag);
    if (entry === undefined || entry.count < usual.length) return usual;
    const values = yield* readNumbers(file, entry, { to: usual.length });
    return values.every(Number.isFinite) ? values : usual;
  }
  const [red = 0, green = 0, blue = 0] = yield* numbers(tags.yCbCrCoefficients, bt601);
  const [y0 = 0, y1 = 0, cb0 = 0, cb1 = 0, cr0 = 0, cr1 = 0] = yield* numbers(
    tags.referenceBlackWhite,
    fullRange,
  );
  return {
    luma: green === 0 ? bt601 : [red, green, blue],
    reference: [y0, y1, cb0, cb1, cr0, cr1],
  };
}

const bt601 = [0.299, 0.587, 0.114] as const;
const fullRange = [0, 255, 128, 255, 128, 255] as const;

/** A function from a pixel of YCbCr to RGB, of 8 bits each, clipped. */
export const yccToRgb = ({
  luma: [red, green, blue],
  reference: [black, white, noBlue, maxBlue, noRed, maxRed],
}: YccMeaning): ((
  y: number,
  cb: number,
  cr: number,
) => readonly [red: number, green: number, blue: number]) => {
  const [ofRed, ofBlue] = [2 - 2 * red, 2 - 2 * blue];
  const light = 255 / (white - black || 1);
  const bluer = 127 / (maxBlue - noBlue || 1);
  const redder = 127 / (maxRed - noRed || 1);
  return (y, cb, cr) => {
    const level = (y - black) * light;
    const b = (cb - noBlue) * bluer * ofBlue;
    const r = (cr - noRed) * redder * ofRed;
    return [clipped(level + r), clipped(level - (red * r + blue * b) / green), clipped(level + b)];
  };
};

const clipped = (value: number): number => Math.max(0, Math.min(255, value));
