import type { Random } from "../random.ts";

/**
 * Compressed bytes with a few bits or bytes changed, half of the time near the start, where tables
 * are; sometimes truncated.
 */
export const damage = (bytes: Uint8Array, { whole }: Random): Uint8Array => {
  const isCut = whole(1, 10) === 1;
  const out = Uint8Array.from(bytes.subarray(0, isCut ? whole(0, bytes.length) : bytes.length));
  const end = Math.max(1, whole(0, 1) === 0 ? Math.min(80, out.length) : out.length);
  for (let count = whole(1, 2); count > 0 && out.length > 0; count--) {
    const at = Math.min(out.length - 1, whole(0, end - 1));
    out[at] = whole(1, 4) === 1 ? whole(0, 255) : (out[at] ?? 0) ^ (1 << whole(0, 7));
  }
  return out;
};

/** A function's result, or undefined where it threw. */
export const outcome = (work: () => Uint8Array): Buffer | undefined => {
  try {
    return Buffer.from(work());
  } catch {
    return undefined;
  }
};
