/** Samples that a block becomes along one axis. */
export type BlockSide = 1 | 2 | 4;

/** How a block becomes four rows of four samples: see `assembly/jpeg/block.ts`. */
export interface Transformation {
  /** The last coefficient that is used, in zigzag order. */
  readonly last: number;
  /** What a DC coefficient contributes to each sample. */
  readonly flat: number;
  /** What each coefficient contributes, in 16 samples. */
  readonly contributions: Int16Array;
  /** By how many bits each coefficient is shifted before it is multiplied. */
  readonly shifts: Uint8Array;
}

/** Samples are in 32nds. */
const fraction = 32;

const side = 8;
const rowLength = 4;

/** The vertical and horizontal frequency of each coefficient (ITU-T T.81, figure A.6). */
const zigzag: readonly (readonly [v: number, u: number])[] = Array.from(
  { length: 2 * side - 1 },
  (_, diagonal) => {
    const steps = Array.from({ length: side }, (_, n) => [n, diagonal - n] as const);
    const inside = steps.filter(([, other]) => other >= 0 && other < side);
    return diagonal % 2 === 0 ? inside.toReversed() : inside;
  },
).flat();

/**
 * The last coefficient that is used of those that four samples may show: the four beyond it are
 * small, and what shows them is halved, or colour.
 */
const maxLast = 12;

/**
 * Describes the transformation of blocks into `across` x `down` samples, each the mean of the pixels
 * that it covers, as far as the lowest frequencies tell.
 */
export const transformationTo = (
  { across, down }: { readonly across: BlockSide; readonly down: BlockSide },
  quantisation: ArrayLike<number>,
): Transformation => {
  const used = zigzag.findLastIndex(([v, u]) => u < across && v < down);
  const last = Math.min(used, maxLast);
  const parts = zigzag.slice(0, last + 1).map(([v, u], index) => {
    const scale = ((quantisation[index] ?? 0) * fraction) / side;
    return Array.from({ length: rowLength * rowLength }, (_, n) => {
      const [y, x] = [Math.floor(n / rowLength), n % rowLength];
      return scale * partOf(u, x, across) * partOf(v, y, down);
    });
  });
  const shifts = parts.map((part) => shiftFor(Math.max(...part.map(Math.abs))));
  return {
    last,
    flat: ((quantisation[0] ?? 0) * fraction) / side,
    contributions: Int16Array.from(
      parts.flatMap((part, index) =>
        part.map((one) => Math.round(one * 2 ** (15 - (shifts[index] ?? 0)))),
      ),
    ),
    shifts: Uint8Array.from(shifts),
  };
};

/** So that what is left of a number of 16 bits is as exact as possible. */
const shiftFor = (largest: number): number =>
  Math.min(15, Math.max(0, Math.ceil(Math.log2((largest * 32_768) / 32_767 + 1e-9))));

/** What a frequency contributes to a sample: the mean of its cosine (ITU-T T.81, A.3.3). */
const partOf = (frequency: number, sample: number, samples: BlockSide): number => {
  if (frequency >= samples || sample >= samples) return 0;
  if (frequency === 0) return 1;
  const covered = side / samples;
  const cosines = Array.from({ length: covered }, (_, n) =>
    Math.cos(((2 * (sample * covered + n) + 1) * frequency * Math.PI) / (2 * side)),
  );
  return (Math.SQRT2 * cosines.reduce((sum, one) => sum + one, 0)) / covered;
};
