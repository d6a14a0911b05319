import { type Size, sameSize } from "../../core/geometry.ts";
import {
  type FrameComponent,
  frameOf,
  headSegments,
  isFrame,
  markers,
  type Segment,
} from "./jpeg-segments.ts";

/** A component of a scan. */
export interface ScanComponent {
  /** Blocks in a unit, across and down: 1 or 2, at most those of the first component. */
  readonly h: number;
  readonly v: number;
  /** Its quantisation in zigzag order: 64 numbers. */
  readonly quantisation: ArrayLike<number>;
  /** Definitions of Huffman tables: 16 counts of codes by length, and their symbols. */
  readonly dc: Uint8Array;
  readonly ac: Uint8Array;
}

/** The only scan of a JPEG in which blocks follow one another (ITU-T T.81, F.1.1.1). */
export interface SequentialScan {
  readonly size: Size;
  readonly components: readonly ScanComponent[];
  /** Units between restart markers; 0: there are none. */
  readonly restartInterval: number;
  /** Whether it is grey or in YCbCr, as libjpeg interprets it. */
  readonly isYCbCr: boolean;
  /** The position of its frame header. */
  readonly frame: number;
  /** The position of its data. */
  readonly start: number;
}

/**
 * The scan of a sequential JPEG of 8 bits and this size, of one or three components; undefined where
 * the bytes, the beginning of a file, have none.
 */
export const scanIn = (bytes: Uint8Array, size: Size): SequentialScan | undefined => {
  const segments = headSegments(bytes);
  const last = segments?.at(-1);
  if (segments === undefined || last?.marker !== markers.startOfScan) return undefined;
  const frames = segments.filter(({ marker }) => isFrame(marker));
  const frame = frameOf(bytes, frames);
  if (frame === undefined || frames.some(({ marker }) => marker > extended)) return undefined;
  if (frames.length > 1 || frame.precision !== 8 || !sameSize(frame, size)) return undefined;
  const count = frame.components.length;
  if (count !== 1 && count !== 3) return undefined;
  const tables = tablesIn(bytes, segments);
  if (tables === undefined) return undefined;
  const components = componentsOf(contentOf(bytes, last), frame.components, tables);
  if (components === undefined) return undefined;
  return {
    size,
    components,
    restartInterval: tables.restartInterval,
    isYCbCr: isYCbCr(bytes, segments, frame.components),
    frame: frames[0]?.at ?? 0,
    start: last.end,
  };
};

/** Baseline and extended sequential frames in Huffman coding (ITU-T T.81, table B.1). */
const extended = 0xc1;

/** A segment without its marker and length. */
const contentOf = (bytes: Uint8Array, { at, end }: Segment): Uint8Array =>
  bytes.subarray(at + 4, end);

/** Whether libjpeg takes the components for grey or YCbCr, as JFIF and Adobe's marker define. */
const isYCbCr = (
  bytes: Uint8Array,
  segments: readonly Segment[],
  components: readonly FrameComponent[],
): boolean => {
  if (components.length === 1) return true;
  const adobe = segments.filter(({ marker }) => marker === markers.app14);
  if (adobe.length > 0) return adobe.every((segment) => contentOf(bytes, segment)[11] === 1);
  const isJfif = segments.some(
    (segment) =>
      segment.marker === markers.app0 &&
      Buffer.from(contentOf(bytes, segment).subarray(0, 5)).equals(jfifMark),
  );
  return isJfif || components.every(({ id }, index) => id === index + 1);
};

const jfifMark = Buffer.from("JFIF\0", "latin1");

interface Tables {
  readonly quantisation: ReadonlyMap<number, ArrayLike<number>>;
  /** By class and destination: 0 to 3 for DC, 16 to 19 for AC. */
  readonly huffman: ReadonlyMap<number, Uint8Array>;
  readonly restartInterval: number;
}

const tablesIn = (bytes: Uint8Array, segments: readonly Segment[]): Tables | undefined => {
  const quantisation = new Map<number, ArrayLike<number>>();
  const huffman = new Map<number, Uint8Array>();
  let restartInterval = 0;
  for (const segment of segments) {
    const content = contentOf(bytes, segment);
    if (segment.marker === markers.quantisation && !addQuantisation(content, quantisation))
      return undefined;
    if (segment.marker === markers.huffman && !addHuffman(content, huffman)) return undefined;
    if (segment.marker === markers.restartInterval)
      restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  }
  return { quantisation, huffman, restartInterval };
};

/** Tables of 64 numbers, of 8 or 16 bits (ITU-T T.81, B.2.4.1). */
const addQuantisation = (content: Uint8Array, to: Map<number, ArrayLike<number>>): boolean => {
  for (let at = 0; at < content.length; ) {
    const head = content[at] ?? 0;
    const isWide = head >> 4 !== 0;
    const length = isWide ? 128 : 64;
    const numbers = content.subarray(at + 1, at + 1 + length);
    if (numbers.length < length) return false;
    const wide = (_: unknown, n: number): number =>
      (numbers[2 * n] ?? 0) * 256 + (numbers[2 * n + 1] ?? 0);
    to.set(head & 15, isWide ? Uint16Array.from({ length: 64 }, wide) : numbers);
    at += 1 + length;
  }
  return true;
};

/** Tables of 16 counts and as many symbols as they add up to (ITU-T T.81, B.2.4.2). */
const addHuffman = (content: Uint8Array, to: Map<number, Uint8Array>): boolean => {
  for (let at = 0; at < content.length; ) {
    const counts = content.subarray(at + 1, at + 17);
    const length = 16 + counts.reduce((sum, count) => sum + count, 0);
    const definition = content.subarray(at + 1, at + 1 + length);
    if (definition.length < length || length > 16 + 256) return false;
    to.set(content[at] ?? 0, definition);
    at += 1 + length;
  }
  return true;
};

/** The components of a scan header that has all of the frame's (ITU-T T.81, B.2.3). */
const componentsOf = (
  content: Uint8Array,
  components: readonly FrameComponent[],
  { quantisation, huffman }: Tables,
): ScanComponent[] | undefined => {
  if (content[0] !== components.length) return undefined;
  const found: ScanComponent[] = [];
  for (const [index, { id, h, v, table }] of components.entries()) {
    const [selector, destinations = 0] = content.subarray(1 + 2 * index);
    const numbers = quantisation.get(table);
    const dc = huffman.get(destinations >> 4);
    const ac = huffman.get(16 + (destinations & 15));
    if (selector !== id || numbers === undefined || dc === undefined || ac === undefined)
      return undefined;
    // A single component has one block in a unit, whatever its sampling (A.2.2).
    const sampling = components.length === 1 ? { h: 1, v: 1 } : { h, v };
    found.push({ ...sampling, quantisation: numbers, dc, ac });
  }
  const [first] = found;
  const isUsual = ({ h, v }: ScanComponent): boolean =>
    first !== undefined && isOneOrTwo(h) && isOneOrTwo(v) && h <= first.h && v <= first.v;
  return found.every(isUsual) ? found : undefined;
};

const isOneOrTwo = (factor: number): boolean => factor === 1 || factor === 2;
