import type { SampleJob } from "./sample-job.ts";

const twoBits = [0, 1, undefined, -1] as const;
const threeBits = [0, 1, 2, 3, undefined, -3, -2, -1] as const;

/**
 * Decodes ThunderScan (32809), samples of 4 bits, each row separately. Missing pixels at the end
 * are 0, since the scanner's own files omit some and libtiff has always read them so.
 */
export const unthunder = ({ bytes, layout, rows }: SampleJob): Uint8Array => {
  const { width } = layout.tile;
  if (layout.bits !== 4 || layout.samples !== 1)
    throw new Error(`ThunderScan has no ${layout.samples} samples of ${layout.bits} bits`);
  const rowBytes = Math.ceil(width / 2);
  const out = new Uint8Array(rowBytes * rows);
  let from = 0;
  for (let row = 0; row < rows; row++) from = undoRow(bytes, from, { out, row, width });
  return out;
};

/** Decodes one row; returns where the next one starts. */
const undoRow = (
  bytes: Uint8Array,
  start: number,
  { out, row, width }: { readonly out: Uint8Array; readonly row: number; readonly width: number },
): number => {
  const base = row * Math.ceil(width / 2);
  let x = 0;
  let last = 0;
  const put = (value: number): void => {
    last = value & 15;
    if (x >= width) return;
    const at = base + (x >> 1);
    out[at] = (out[at] ?? 0) | (x & 1 ? last : last << 4);
    x++;
  };
  const step = (difference: number | undefined): void => {
    if (difference !== undefined) put(last + difference);
  };
  let from = start;
  while (x < width && from < bytes.length) {
    const code = bytes[from++] ?? 0;
    const data = code & 63;
    switch (code >> 6) {
      case 0:
        for (let count = data; count > 0 && x < width; count--) put(last);
        break;
      case 1:
        for (const shift of [4, 2, 0]) step(twoBits[(data >> shift) & 3]);
        break;
      case 2:
        for (const shift of [3, 0]) step(threeBits[(data >> shift) & 7]);
        break;
      default:
        put(data);
    }
  }
  return from;
};
