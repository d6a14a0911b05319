import { fail } from "../../core/errors.ts";
import { type Codes, ScanBits } from "./bits.ts";
import type { JpegFrame } from "./segments.ts";
import { type JpegScan, type JpegTables, tableOf } from "./tables.ts";

/** The coefficients of a component, block by block. */
export interface SequentialPlane {
  /** Blocks covered by the component's samples. */
  readonly columns: number;
  readonly rows: number;
  /** Blocks from one row to the next: whole units of an interleaved scan. */
  readonly stride: number;
  readonly coefficients: Int16Array;
}

/** Allocates the coefficients of a frame. */
export const sequentialPlanes = ({ width, height, components }: JpegFrame): SequentialPlane[] => {
  const { across: maxAcross, down: maxDown } = maxOf(components);
  const unitColumns = Math.ceil(width / (8 * maxAcross));
  const unitRows = Math.ceil(height / (8 * maxDown));
  return components.map(({ across, down }) => {
    const stride = unitColumns * across;
    return {
      columns: Math.ceil(Math.ceil((width * across) / maxAcross) / 8),
      rows: Math.ceil(Math.ceil((height * down) / maxDown) / 8),
      stride,
      coefficients: new Int16Array(stride * unitRows * down * 64),
    };
  });
};

const maxOf = (
  components: JpegFrame["components"],
): { readonly across: number; readonly down: number } => ({
  across: Math.max(...components.map(({ across }) => across)),
  down: Math.max(...components.map(({ down }) => down)),
});

/** The output of a scan. */
interface SequentialField {
  readonly frame: JpegFrame;
  readonly scan: JpegScan;
  readonly tables: JpegTables;
  readonly planes: readonly SequentialPlane[];
}

/** A component in a scan. */
interface ScanPart {
  readonly across: number;
  readonly down: number;
  readonly plane: SequentialPlane;
  readonly dc: Codes;
  readonly ac: Codes;
  /** The mean of the block before. */
  last: number;
}

/** Decodes a sequential scan (F.2); returns the offset after it. */
export const decodeSequentialScan = (bytes: Uint8Array, field: SequentialField): number => {
  const bits = new ScanBits(bytes, field.scan.at);
  const parts = partsOf(field);
  const { columns, rows, unit } = unitsOf(field, parts, bits);
  const { restart } = field.tables;
  for (let number = 0; number < columns * rows; number++) {
    if (restart > 0 && number > 0 && number % restart === 0) {
      bits.restart();
      for (const part of parts) part.last = 0;
    }
    unit(number % columns, Math.floor(number / columns));
  }
  return bits.place;
};

const partsOf = ({ frame, scan, tables, planes }: SequentialField): readonly ScanPart[] =>
  scan.parts.map(({ index, dc, ac }) => {
    const component = frame.components[index];
    const plane = planes[index];
    if (component === undefined || plane === undefined)
      return fail("unreadable", "Unknown component in the scan of a JPEG.");
    const { across, down } = component;
    return { across, down, plane, dc: tableOf(tables.dc, dc), ac: tableOf(tables.ac, ac), last: 0 };
  });

interface Units {
  readonly columns: number;
  readonly rows: number;
  readonly unit: (column: number, row: number) => void;
}

/** A scan of one component has its own blocks as units (A.2.2). */
const unitsOf = ({ frame }: SequentialField, parts: readonly ScanPart[], bits: ScanBits): Units => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    const { columns, rows } = only.plane;
    return { columns, rows, unit: (column, row) => readBlock(bits, only, column, row) };
  }
  const { across, down } = maxOf(frame.components);
  return {
    columns: Math.ceil(frame.width / (8 * across)),
    rows: Math.ceil(frame.height / (8 * down)),
    unit(column, row) {
      for (const part of parts)
        for (let y = 0; y < part.down; y++)
          for (let x = 0; x < part.across; x++)
            readBlock(bits, part, column * part.across + x, row * part.down + y);
    },
  };
};

const readBlock = (bits: ScanBits, part: ScanPart, column: number, row: number): void => {
  const { plane, dc, ac } = part;
  const { coefficients } = plane;
  const at = (row * plane.stride + column) * 64;
  const length = bits.decode(dc);
  if (length > 15) fail("unreadable", "Expected differences of at most 15 bits in a JPEG.");
  part.last += bits.difference(length);
  coefficients[at] = part.last;
  for (let index = 1; index < 64; index++) {
    const code = bits.decode(ac);
    if (code === endOfBlock) return;
    index += code >> 4;
    if (index > 63) fail("unreadable", "Expected at most 64 coefficients in a block of a JPEG.");
    coefficients[at + (zigzag[index] ?? 0)] = bits.difference(code & 15);
  }
};

const endOfBlock = 0;

/** The zigzag order: index of each coefficient, row by row (figure A.6). */
const zigzag = Uint8Array.of(
  0,
  1,
  8,
  16,
  9,
  2,
  3,
  10,
  17,
  24,
  32,
  25,
  18,
  11,
  4,
  5,
  12,
  19,
  26,
  33,
  40,
  48,
  41,
  34,
  27,
  20,
  13,
  6,
  7,
  14,
  21,
  28,
  35,
  42,
  49,
  56,
  57,
  50,
  43,
  36,
  29,
  22,
  15,
  23,
  30,
  37,
  44,
  51,
  58,
  59,
  52,
  45,
  38,
  31,
  39,
  46,
  53,
  60,
  61,
  54,
  47,
  55,
  62,
  63,
);

/**
 * Converts coefficients to samples; a sample of a subsampled component covers all pixels up to the
 * next one.
 */
export const samplesOfBlocks = (
  frame: JpegFrame,
  planes: readonly SequentialPlane[],
  tables: JpegTables,
): Uint16Array => {
  const { width, height, components, precision } = frame;
  const samples = new Uint16Array(width * height * components.length);
  const max = maxOf(components);
  for (const [index, { across, down, quantisation }] of components.entries()) {
    const plane = planes[index];
    if (plane === undefined) continue;
    const decoded = decodedPlane(
      plane,
      inverse(tableOf(tables.quantisation, quantisation), precision),
    );
    const [stepX, stepY] = [max.across / across, max.down / down];
    for (let y = 0; y < height; y++) {
      const row = Math.floor(y / stepY) * plane.stride * 8;
      for (let x = 0; x < width; x++)
        samples[(y * width + x) * components.length + index] =
          decoded[row + Math.floor(x / stepX)] ?? 0;
    }
  }
  return samples;
};

type Transform = (coefficients: Int16Array, into: Uint16Array) => void;

/** The samples of a component, row by row, including those of the last blocks beyond its edges. */
const decodedPlane = (
  { coefficients, stride }: SequentialPlane,
  transform: Transform,
): Uint16Array => {
  const decoded = new Uint16Array(coefficients.length);
  const block = new Uint16Array(64);
  const width = stride * 8;
  for (let at = 0; at < coefficients.length; at += 64) {
    transform(coefficients.subarray(at, at + 64), block);
    const number = at / 64;
    const corner = Math.floor(number / stride) * 8 * width + (number % stride) * 8;
    for (let y = 0; y < 8; y++) decoded.set(block.subarray(y * 8, y * 8 + 8), corner + y * width);
  }
  return decoded;
};

/** By frequency and position: the cosines of A.3.3, with their weights. */
const cosines = (): Float64Array =>
  Float64Array.from({ length: 64 }, (_, index) => {
    const frequency = index >> 3;
    const place = index & 7;
    const weight = frequency === 0 ? Math.SQRT1_2 : 1;
    return (weight / 2) * Math.cos(((2 * place + 1) * frequency * Math.PI) / 16);
  });

/** Dequantises and transforms a block; the table is in zigzag order. */
const inverse = (table: Uint16Array, precision: number): Transform => {
  const waves = cosines();
  const factors = new Float64Array(64);
  for (const [index, place] of zigzag.entries()) factors[place] = table[index] ?? 0;
  const middle = 2 ** (precision - 1);
  const top = 2 ** precision - 1;
  const rows = new Float64Array(64);
  const across = (coefficients: Int16Array): void => {
    rows.fill(0);
    for (let at = 0; at < 64; at++) {
      const value = (coefficients[at] ?? 0) * (factors[at] ?? 0);
      if (value === 0) continue;
      const [row, wave] = [at & ~7, (at & 7) * 8];
      for (let x = 0; x < 8; x++)
        rows[row + x] = (rows[row + x] ?? 0) + value * (waves[wave + x] ?? 0);
    }
  };
  const sampleAt = (x: number, y: number): number => {
    let sum = middle + 0.5;
    for (let wave = 0; wave < 64; wave += 8) sum += (rows[wave + x] ?? 0) * (waves[wave + y] ?? 0);
    return Math.max(0, Math.min(top, sum));
  };
  return (coefficients, into) => {
    across(coefficients);
    for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) into[y * 8 + x] = sampleAt(x, y);
  };
};
