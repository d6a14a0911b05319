import { fail } from "../../core/errors.ts";
import { codesOf } from "./bits.ts";
import { decodeLosslessScan } from "./lossless.ts";
import { isFrame, type JpegFrame, type JpegSegment, readFrame, segmentAt } from "./segments.ts";
import {
  decodeSequentialScan,
  type SequentialPlane,
  samplesOfBlocks,
  sequentialPlanes,
} from "./sequential.ts";
import type { JpegScan, JpegTables } from "./tables.ts";

/** The decoded samples of all components, interleaved. */
export interface DecodedJpeg {
  readonly samples: Uint16Array;
  readonly precision: number;
}

/**
 * Decodes JPEG that libvips' build of libjpeg does not: lossless (process 14, any predictor, 2 to
 * 16 bits) and extended sequential of 12 bits (process 4), with Huffman codes. Throws `unreadable`
 * where it is corrupt, not of the expected size and components, or of another process.
 */
export const decodeJpeg = (bytes: Uint8Array, expected: Expected): DecodedJpeg => {
  const decoding = new Decoding(bytes, expected);
  for (let at = 0; ; ) {
    const segment = segmentAt(bytes, at);
    if (segment === undefined || segment.marker === endOfImage) return decoding.finish();
    at = decoding.take(segment);
  }
};

/** The expected size and components of a JPEG. */
interface Expected {
  readonly width: number;
  readonly height: number;
  readonly components: number;
}

/** The state of decoding a JPEG. */
class Decoding {
  readonly #bytes: Uint8Array;
  readonly #expected: Expected;
  readonly #tables: JpegTables = { dc: [], ac: [], quantisation: [], restart: 0 };
  /** Number of finished components. */
  readonly #seen = new Set<number>();
  #frame: JpegFrame | undefined;
  #lossless = new Uint16Array(0);
  #planes: readonly SequentialPlane[] = [];

  constructor(bytes: Uint8Array, expected: Expected) {
    this.#bytes = bytes;
    this.#expected = expected;
  }

  /** Processes a segment; returns where to look for the next one. */
  take(segment: JpegSegment): number {
    const { marker, body, end } = segment;
    if (marker === startOfScan) return this.#scan(segment);
    if (isFrame(marker)) this.#begin(readFrame(segment));
    else if (marker === quantisationTables) readQuantisation(segment, this.#tables);
    else if (marker === huffmanTables) readCodes(segment, this.#tables);
    else if (marker === restartInterval)
      this.#tables.restart = ((body[0] ?? 0) << 8) | (body[1] ?? 0);
    return end;
  }

  finish(): DecodedJpeg {
    const frame = this.#frame;
    if (frame === undefined || this.#seen.size < frame.components.length)
      return fail("unreadable", "Components are missing from a JPEG in the DICOM file.");
    const samples =
      frame.kind === losslessFrame
        ? this.#lossless
        : samplesOfBlocks(frame, this.#planes, this.#tables);
    return { samples, precision: frame.precision };
  }

  #begin(frame: JpegFrame): void {
    if (this.#frame !== undefined)
      fail("unreadable", "Expected one frame in a JPEG of the DICOM file.");
    check(frame, this.#expected);
    this.#frame = frame;
    if (frame.kind === losslessFrame)
      this.#lossless = new Uint16Array(frame.width * frame.height * frame.components.length);
    else this.#planes = sequentialPlanes(frame);
  }

  #scan(segment: JpegSegment): number {
    const frame = this.#frame;
    if (frame === undefined)
      return fail("unreadable", "Expected a frame before the scan of a JPEG in the DICOM file.");
    const scan = readScan(segment, frame);
    for (const { index } of scan.parts) {
      if (this.#seen.has(index))
        fail("unreadable", "Expected each component in exactly one scan of a JPEG.");
      this.#seen.add(index);
    }
    const given = { frame, scan, tables: this.#tables };
    return frame.kind === losslessFrame
      ? decodeLosslessScan(this.#bytes, { ...given, into: this.#lossless })
      : decodeSequentialScan(this.#bytes, { ...given, planes: this.#planes });
  }
}

const losslessFrame = 0xc3;
const huffmanTables = 0xc4;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const quantisationTables = 0xdb;
const restartInterval = 0xdd;

const check = (
  { kind, precision, width, height, components }: JpegFrame,
  expected: { readonly width: number; readonly height: number; readonly components: number },
): void => {
  const isLossless = kind === losslessFrame && precision >= 2 && precision <= 16;
  const isSequential = (kind === 0xc0 || kind === 0xc1) && (precision === 8 || precision === 12);
  if (!isLossless && !isSequential)
    fail(
      "unreadable",
      `Expected a JPEG of processes 1, 2, 4 or 14 in the DICOM file, not frame type ${kind - 0xc0} of ${precision} bits.`,
    );
  if (
    width !== expected.width ||
    height !== expected.height ||
    components.length !== expected.components
  )
    fail(
      "unreadable",
      `Expected a JPEG of ${expected.width} x ${expected.height} and ${expected.components} components in the DICOM file, not ${width} x ${height} and ${components.length}.`,
    );
  const isEven = components.every(({ across, down }) =>
    isLossless ? across === 1 && down === 1 : across >= 1 && across <= 4 && down >= 1 && down <= 4,
  );
  if (!isEven && components.length > 1)
    fail("unreadable", "Unsupported subsampling in a JPEG of the DICOM file.");
};

const readQuantisation = ({ body }: JpegSegment, tables: JpegTables): void => {
  for (let at = 0; at < body.length; ) {
    const head = body[at++] ?? 0;
    const size = head >> 4 === 0 ? 1 : 2;
    if (at + 64 * size > body.length)
      fail("unreadable", "Truncated quantisation table in a JPEG of the DICOM file.");
    const table = new Uint16Array(64);
    for (let index = 0; index < 64; index++, at += size)
      table[index] = size === 1 ? (body[at] ?? 0) : (body[at] ?? 0) * 256 + (body[at + 1] ?? 0);
    tables.quantisation[head & 3] = table;
  }
};

const readCodes = ({ body }: JpegSegment, tables: JpegTables): void => {
  for (let at = 0; at + 17 <= body.length; ) {
    const head = body[at] ?? 0;
    const counts = body.subarray(at + 1, at + 17);
    const length = counts.reduce((sum, count) => sum + count, 0);
    const codes = codesOf(counts, body.subarray(at + 17, at + 17 + length));
    (head >> 4 === 0 ? tables.dc : tables.ac)[head & 3] = codes;
    at += 17 + length;
  }
};

const readScan = ({ body, end }: JpegSegment, { components }: JpegFrame): JpegScan => {
  const count = body[0] ?? 0;
  if (count < 1 || count > components.length || body.length < 4 + count * 2)
    fail("unreadable", "Expected components in the scan of a JPEG in the DICOM file.");
  const parts = Array.from({ length: count }, (_, part) => {
    const id = body[1 + part * 2] ?? 0;
    const numbers = body[2 + part * 2] ?? 0;
    const index = components.findIndex((component) => component.id === id);
    if (index < 0) fail("unreadable", "Unknown component in the scan of a JPEG.");
    return { index, dc: (numbers >> 4) & 3, ac: numbers & 3 };
  });
  return {
    parts,
    start: body[1 + count * 2] ?? 0,
    low: (body[3 + count * 2] ?? 0) & 15,
    at: end,
  };
};
