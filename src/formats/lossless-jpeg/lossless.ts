import { fail } from "../../core/errors.ts";
import { type Codes, ScanBits } from "./bits.ts";
import type { JpegFrame } from "./segments.ts";
import { type JpegScan, type JpegTables, tableOf } from "./tables.ts";

/** Samples of the neighbours: left, above, above left. */
type Predict = (left: number, above: number, corner: number) => number;

/** By number (ISO/IEC 10918-1, table H.1). */
const predictors: readonly (Predict | undefined)[] = [
  undefined,
  (left) => left,
  (_left, above) => above,
  (_left, _above, corner) => corner,
  (left, above, corner) => left + above - corner,
  (left, above, corner) => left + ((above - corner) >> 1),
  (left, above, corner) => above + ((left - corner) >> 1),
  (left, above) => (left + above) >> 1,
];

/** The output of a scan. */
interface LosslessField {
  readonly frame: JpegFrame;
  readonly scan: JpegScan;
  readonly tables: JpegTables;
  /** All components, interleaved. */
  readonly into: Uint16Array;
}

/** Decodes a scan of lossless samples (annex H); returns the offset after it. */
export const decodeLosslessScan = (bytes: Uint8Array, field: LosslessField): number => {
  const { frame, scan, tables, into } = field;
  const { height, width, components } = frame;
  const coded = scan.parts.map(({ index, dc }) => ({ index, codes: tableOf(tables.dc, dc) }));
  const bits = new ScanBits(bytes, scan.at);
  const predict = predictorOf(frame, scan);
  const restartRows = rowsBetweenRestarts(tables.restart, width);
  const row = { bits, coded, into, stride: components.length, width };
  const middle = 2 ** (frame.precision - scan.low - 1);
  for (let y = 0; y < height; y++) {
    const isFirst = y % restartRows === 0;
    if (isFirst && y > 0) bits.restart();
    // The first row after a restart is predicted like the very first (H.1.2.1).
    if (isFirst) readFirstRow(row, y, middle);
    else readRow(row, y, predict);
  }
  if (scan.low > 0)
    for (const { index } of coded)
      for (let at = index; at < into.length; at += components.length)
        into[at] = (into[at] ?? 0) << scan.low;
  return bits.place;
};

const predictorOf = ({ precision }: JpegFrame, { start, low }: JpegScan): Predict => {
  if (low >= precision)
    fail("unreadable", "The point transform of a lossless JPEG drops all of its bits.");
  return (
    predictors[start] ??
    fail("unreadable", `Expected a predictor from 1 to 7 in a lossless JPEG, not ${start}.`)
  );
};

const rowsBetweenRestarts = (restart: number, width: number): number => {
  if (restart % width !== 0)
    fail("unreadable", "Expected restart intervals of a lossless JPEG to be whole rows.");
  return restart === 0 ? Number.POSITIVE_INFINITY : restart / width;
};

interface DecodedRows {
  readonly bits: ScanBits;
  readonly coded: readonly { readonly index: number; readonly codes: Codes }[];
  readonly into: Uint16Array;
  /** Samples per pixel. */
  readonly stride: number;
  readonly width: number;
}

const readFirstRow = (
  { bits, coded, into, stride, width }: DecodedRows,
  y: number,
  middle: number,
): void => {
  for (let x = 0; x < width; x++)
    for (const { index, codes } of coded) {
      const at = (y * width + x) * stride + index;
      into[at] = (x === 0 ? middle : (into[at - stride] ?? 0)) + difference(bits, codes);
    }
};

const readRow = (
  { bits, coded, into, stride, width }: DecodedRows,
  y: number,
  predict: Predict,
): void => {
  const length = width * stride;
  for (let x = 0; x < width; x++)
    for (const { index, codes } of coded) {
      const at = (y * width + x) * stride + index;
      const above = into[at - length] ?? 0;
      const predicted =
        x === 0 ? above : predict(into[at - stride] ?? 0, above, into[at - length - stride] ?? 0);
      into[at] = predicted + difference(bits, codes);
    }
};

const difference = (bits: ScanBits, codes: Codes): number => {
  const length = bits.decode(codes);
  if (length > 16) fail("unreadable", "Expected differences of at most 16 bits in a JPEG.");
  return length === 16 ? 32_768 : bits.difference(length);
};
