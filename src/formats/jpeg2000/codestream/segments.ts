import type { CodedSegment } from "./contract.ts";

/** Code-block styles (ISO/IEC 15444-1, table A.19; T.814, table A.13). */
export const styles = {
  bypass: 1,
  reset: 2,
  terminateAll: 4,
  verticallyCausal: 8,
  predictableTermination: 16,
  segmentSymbols: 32,
  ht: 64,
  mixed: 128,
} as const;

/** Number of passes before the arithmetic coder is bypassed, and maximum number of passes. */
const passesBeforeBypass = 10;
export const maxPasses = 255;

/**
 * Number of passes left in the segment of pass number `pass`, counted from 0 (B.10.7, D.4, D.6).
 */
export const passesLeft = (style: number, pass: number): number => {
  if ((style & styles.ht) !== 0) return pass === 0 ? 1 : Math.max(1, 3 - pass);
  if ((style & styles.terminateAll) !== 0) return 1;
  if ((style & styles.bypass) === 0) return maxPasses - pass + 1;
  if (pass < passesBeforeBypass) return passesBeforeBypass - pass;
  return (pass - passesBeforeBypass) % 3 === 0 ? 2 : 1;
};

/** Merges pieces, in the order of their passes, into segments. */
export const segmentsOf = (
  style: number,
  pieces: readonly { readonly length: number; readonly passes: number }[],
): CodedSegment[] => {
  const segments: { length: number; passes: number }[] = [];
  let pass = 0;
  let left = 0;
  for (const { length, passes } of pieces) {
    const open = segments.at(-1);
    if (left > 0 && open !== undefined) {
      open.length += length;
      open.passes += passes;
    } else {
      segments.push({ length, passes });
      left = passesLeft(style, pass);
    }
    pass += passes;
    left -= passes;
  }
  return segments;
};
