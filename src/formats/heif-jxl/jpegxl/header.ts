import type { Size } from "../../../core/geometry.ts";
import { Bits, type BitsForm } from "./bits.ts";

/** The meaning of an extra channel (ISO/IEC 18181-1, annex D). */
export interface ExtraChannel {
  /** For people, as in `black ink`. */
  readonly kind: string;
  readonly isAlpha: boolean;
  /** Of opacity: whether the colours are premultiplied. */
  readonly premultiplied: boolean;
}

/** The image header of a codestream (annex D), before any of it is decoded. */
export interface JpegXlHeader {
  /** As stored: before rotation. */
  readonly size: Size;
  /** Exif orientation, 1 to 8. */
  readonly orientation: number;
  readonly animated: boolean;
  /** Of a sample. */
  readonly bits: number;
  readonly float: boolean;
  readonly extras: readonly ExtraChannel[];
  /** Whether samples are stored in XYB rather than in the profile's colours. */
  readonly xyb: boolean;
  /** Whether it contains an ICC profile; without one its colours are described by fields. */
  readonly profiled: boolean;
}

/** Parses the header of a bare codestream; undefined where it is corrupt, or ends too early. */
export const readHeader = (codestream: Uint8Array): JpegXlHeader | undefined => {
  if (codestream[0] !== 0xff || codestream[1] !== 0x0a) return undefined;
  try {
    const bits = new Bits(codestream, 2);
    const size = readSize(bits);
    return bits.flag() ? { size, ...usual } : { size, ...readMetadata(bits) };
  } catch (error) {
    // It ends too early; anything else is our own bug.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Defaults of absent fields. */
const usual = {
  orientation: 1,
  animated: false,
  bits: 8,
  float: false,
  extras: [],
  xyb: true,
  profiled: false,
} as const;

/** The forms of sides, with more and more bits. */
const sides: readonly [BitsForm, BitsForm, BitsForm, BitsForm] = [
  [9, 1],
  [13, 1],
  [18, 1],
  [30, 1],
];

/** Aspect ratios, by their number. */
const ratios: readonly (readonly [number, number])[] = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];

const readSize = (bits: Bits): Size => {
  const eighths = bits.flag();
  const side = (): number => (eighths ? (bits.number(5) + 1) * 8 : bits.choice(...sides));
  return withRatio(bits, side);
};

const withRatio = (bits: Bits, side: () => number): Size => {
  const height = side();
  const ratio = ratios[bits.number(3) - 1];
  if (ratio === undefined) return { width: side(), height };
  const [across, down] = ratio;
  return { width: Math.floor((height * across) / down), height };
};

const readMetadata = (bits: Bits): Omit<JpegXlHeader, "size"> => {
  let { orientation, animated }: { orientation: number; animated: boolean } = usual;
  if (bits.flag()) {
    orientation = bits.number(3) + 1;
    // A display size.
    if (bits.flag()) readSize(bits);
    if (bits.flag()) passOverPreview(bits);
    animated = bits.flag();
    if (animated) passOverAnimation(bits);
  }
  const depth = readDepth(bits);
  // Whether 16 bits are enough to decode with.
  bits.skip(1);
  const count = bits.choice([0, 0], [0, 1], [4, 2], [12, 1]);
  const extras = Array.from({ length: count }, () => readExtra(bits));
  const xyb = bits.flag();
  // Whether all colour fields have defaults; then whether there is a profile.
  const profiled = !bits.flag() && bits.flag();
  return { orientation, animated, ...depth, extras, xyb, profiled };
};

const passOverPreview = (bits: Bits): void => {
  const eighths = bits.flag();
  withRatio(bits, () =>
    eighths
      ? bits.choice([0, 16], [0, 32], [5, 1], [9, 33])
      : bits.choice([6, 1], [8, 65], [10, 321], [12, 1_345]),
  );
};

/** Ticks per second, their divisor, number of repetitions, whether there are time codes. */
const passOverAnimation = (bits: Bits): void => {
  bits.choice([0, 100], [0, 1_000], [10, 1], [30, 1]);
  bits.choice([0, 1], [0, 1_001], [8, 1], [10, 1]);
  bits.choice([0, 0], [3, 0], [16, 0], [32, 0]);
  bits.skip(1);
};

const readDepth = (bits: Bits): { readonly bits: number; readonly float: boolean } => {
  if (!bits.flag()) return { bits: bits.choice([0, 8], [0, 10], [0, 12], [6, 1]), float: false };
  const depth = bits.choice([0, 32], [0, 16], [0, 24], [6, 1]);
  // Bits of its exponent.
  bits.skip(4);
  return { bits: depth, float: true };
};

const alpha: ExtraChannel = { kind: "opacity", isAlpha: true, premultiplied: false };

const kinds: Readonly<Record<number, string>> = {
  0: alpha.kind,
  1: "depth",
  2: "a spot colour",
  3: "a mask",
  4: "black ink",
  5: "a colour filter array",
  6: "heat",
};

const spotColour = 2;
const filterArray = 5;

const readExtra = (bits: Bits): ExtraChannel => {
  if (bits.flag()) return alpha;
  const type = bits.word();
  readDepth(bits);
  // Its reduction, then its name.
  bits.choice([0, 0], [0, 3], [0, 4], [3, 1]);
  bits.skip(8 * bits.choice([0, 0], [4, 0], [5, 16], [10, 48]));
  const isAlpha = type === 0;
  const premultiplied = isAlpha && bits.flag();
  if (type === spotColour) bits.skip(4 * 16);
  if (type === filterArray) bits.choice([0, 1], [2, 0], [4, 3], [8, 19]);
  return { kind: kinds[type] ?? "an unknown kind", isAlpha, premultiplied };
};
