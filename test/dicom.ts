import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";
import { dicomTags as tags } from "../src/formats/dicom/tags.ts";

/** An element by its tag, the two letters of its value representation, and its value. */
export type DicomElement = readonly [tag: number, kind: string, value: string | Uint8Array];

/** A sequence of items. */
export type DicomSequence = readonly [tag: number, kind: "SQ", items: readonly DicomElement[][]];

/** The parts of a DICOM file for tests. */
export interface DicomParts {
  /** The suffix after 1.2.840.10008.1.2, as in `.1`; explicit and little endian where absent. */
  readonly syntax?: string;
  readonly elements: readonly (DicomElement | DicomSequence)[];
  readonly pixels:
    | Uint8Array
    | { readonly fragments: readonly Uint8Array[]; readonly offsets?: readonly number[] };
  readonly preamble?: boolean;
  /** Whether there is meta information; true. */
  readonly meta?: boolean;
}

interface Order {
  readonly explicit: boolean;
  readonly littleEndian: boolean;
}

const long = new Set(["OB", "OW", "SQ", "UN", "OV", "OF"]);

/** Sixteen bits, little-endian unless stated otherwise. */
export const us = (...values: readonly number[]): Buffer =>
  Buffer.from(Uint16Array.from(values).buffer);

const number = (value: number, bytes: 2 | 4, { littleEndian }: Order): Buffer => {
  const buffer = Buffer.alloc(bytes);
  if (littleEndian) buffer.writeUIntLE(value, 0, bytes);
  else buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

const tagBytes = (tag: number, order: Order): Buffer =>
  Buffer.concat([number(Math.floor(tag / 65_536), 2, order), number(tag % 65_536, 2, order)]);

const header = (tag: number, kind: string, length: number, order: Order): Buffer => {
  const start = tagBytes(tag, order);
  if (!order.explicit) return Buffer.concat([start, number(length, 4, order)]);
  const name = Buffer.from(kind, "latin1");
  return long.has(kind)
    ? Buffer.concat([start, name, Buffer.alloc(2), number(length, 4, order)])
    : Buffer.concat([start, name, number(length, 2, order)]);
};

const even = (value: Uint8Array): Buffer =>
  Buffer.concat([value, Buffer.alloc(value.length % 2, 0x20)]);

const element = (part: DicomElement | DicomSequence, order: Order): Buffer => {
  const [tag, kind, value] = part;
  if (typeof value === "string" || value instanceof Uint8Array) {
    const raw = even(typeof value === "string" ? Buffer.from(value, "latin1") : Buffer.from(value));
    if (!order.littleEndian && (kind === "US" || kind === "SS")) raw.swap16();
    return Buffer.concat([header(tag, kind, raw.length, order), raw]);
  }
  const items = value.map((inside) => {
    const body = Buffer.concat(inside.map((one) => element(one, order)));
    return Buffer.concat([tagBytes(tags.item, order), number(body.length, 4, order), body]);
  });
  const body = Buffer.concat(items);
  return Buffer.concat([header(tag, kind, body.length, order), body]);
};

const root = "1.2.840.10008.1.2";
const littleEndian: Order = { explicit: true, littleEndian: true };

/** A whole file (PS3.10). */
export const dicomFile = ({
  syntax = ".1",
  elements,
  pixels,
  preamble = true,
  meta: withMeta = true,
}: DicomParts): Buffer => {
  const order: Order = { explicit: syntax !== "", littleEndian: syntax !== ".2" };
  const uid = Buffer.from(root + syntax, "latin1");
  const padded = Buffer.concat([uid, Buffer.alloc(uid.length % 2)]);
  const meta = element([tags.transferSyntax, "UI", padded], littleEndian);
  const body = [...elements]
    .sort(([one], [other]) => one - other)
    .map((part) => element(part, order));
  const data = Buffer.concat([...body, pixelData(pixels, order)]);
  return Buffer.concat([
    ...(preamble ? [Buffer.alloc(128), Buffer.from("DICM")] : []),
    ...(withMeta ? [meta] : []),
    syntax === ".1.99" ? deflateRawSync(data) : data,
  ]);
};

const pixelData = (pixels: DicomParts["pixels"], order: Order): Buffer => {
  if (pixels instanceof Uint8Array) return element([tags.pixels, "OW", pixels], order);
  const { fragments, offsets = [] } = pixels;
  const item = (bytes: Uint8Array): Buffer =>
    Buffer.concat([tagBytes(tags.item, order), number(bytes.length, 4, order), bytes]);
  return Buffer.concat([
    header(tags.pixels, "OB", 0xffffffff, order),
    item(Buffer.from(Uint32Array.from(offsets).buffer)),
    ...fragments.map((bytes) => item(even(bytes))),
    tagBytes(tags.sequenceEnd, order),
    number(0, 4, order),
  ]);
};

/** The elements that describe pixels. */
export const pixelElements = (what: {
  readonly width: number;
  readonly height: number;
  readonly bits?: number;
  readonly allocated?: number;
  readonly signed?: boolean;
  readonly samples?: number;
  readonly photometric?: string;
  readonly frames?: number;
}): DicomElement[] => {
  const { width, height, bits = 8, signed = false, samples = 1, frames } = what;
  return [
    [tags.samples, "US", us(samples)],
    [tags.photometric, "CS", what.photometric ?? (samples === 3 ? "RGB" : "MONOCHROME2")],
    [tags.rows, "US", us(height)],
    [tags.columns, "US", us(width)],
    [tags.bitsAllocated, "US", us(what.allocated ?? (bits > 8 ? 16 : 8))],
    [tags.bitsStored, "US", us(bits)],
    [tags.highBit, "US", us(bits - 1)],
    [tags.signed, "US", us(signed ? 1 : 0)],
    ...(frames === undefined ? [] : [[tags.frames, "IS", String(frames)] as const]),
  ];
};

/** A run-length coded frame, all of it as literals or as runs of two. */
export const runLengths = (planes: readonly Uint8Array[]): Buffer => {
  const segments = planes.map((plane) => {
    const parts: number[] = [];
    for (let at = 0; at < plane.length; ) {
      const [first = 0, second = -1] = plane.subarray(at, at + 2);
      if (first === second) {
        parts.push(255, first);
        at += 2;
      } else {
        parts.push(0, first);
        at++;
      }
    }
    return even(Uint8Array.from(parts));
  });
  const head = Buffer.alloc(64);
  head.writeUInt32LE(segments.length, 0);
  let at = 64;
  for (const [index, segment] of segments.entries()) {
    head.writeUInt32LE(at, 4 + index * 4);
    at += segment.length;
  }
  return Buffer.concat([head, ...segments]);
};

/** Bits as bytes, padded, with a 0 after each 0xff. */
const stuffed = (bits: readonly number[]): number[] => {
  const coded: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) byte = byte * 2 + (bits[at + bit] ?? 1);
    coded.push(byte, ...(byte === 0xff ? [0] : []));
  }
  return coded;
};

const u16 = (value: number): number[] => [value >> 8, value & 255];

/** An extended JPEG (process 4) of 12 bits, whose blocks have a mean and nothing else. */
export const extendedJpeg = (
  means: readonly number[],
  { columns, restart = 0 }: { readonly columns: number; readonly restart?: number },
): Buffer => {
  const [width, height] = [columns * 8, (means.length / columns) * 8];
  const coded: number[] = [];
  let bits: number[] = [];
  let last = 0;
  const put = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  for (const [index, mean] of means.entries()) {
    if (restart > 0 && index > 0 && index % restart === 0) {
      coded.push(...stuffed(bits), 0xff, 0xd0 + ((index / restart - 1) & 7));
      bits = [];
      last = 0;
    }
    const difference = mean - 2_048 - last;
    last = mean - 2_048;
    const length = 32 - Math.clz32(Math.abs(difference));
    put(length, 5);
    put(difference < 0 ? difference + 2 ** length - 1 : difference, length);
    put(0, 1);
  }
  coded.push(...stuffed(bits));
  const dc = [0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const ac = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  return Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xdb, ...u16(67), 0, ...Array.from({ length: 64 }, () => 8)],
    ...[0xff, 0xc1, ...u16(11), 12, ...u16(height), ...u16(width), 1, 1, 0x11, 0],
    ...[0xff, 0xc4, ...u16(2 + 17 + 16), 0, ...dc, ...Array.from({ length: 16 }, (_, at) => at)],
    ...[0xff, 0xc4, ...u16(2 + 17 + 1), 0x10, ...ac, 0],
    ...(restart > 0 ? [0xff, 0xdd, 0, 4, ...u16(restart)] : []),
    ...[0xff, 0xda, ...u16(8), 1, 1, 0, 0, 63, 0, ...coded, 0xff, 0xd9],
  ]);
};

/** The used part of CharLS's encoder. */
interface CharLs {
  readonly JpegLSEncoder: new () => {
    getDecodedBuffer(frame: object): Uint8Array;
    encode(): void;
    getEncodedBuffer(): Uint8Array;
    delete(): void;
  };
}

/** A lossless JPEG-LS; `bits` of 8 or 16. */
export const jpegLs = async (
  samples: Uint8Array | Uint16Array,
  frame: {
    readonly width: number;
    readonly height: number;
    readonly components: number;
    readonly bits: number;
  },
): Promise<Buffer> => {
  const load = createRequire(import.meta.url)("@cornerstonejs/codec-charls/wasmjs") as (
    options: object,
  ) => Promise<CharLs>;
  const { JpegLSEncoder } = await load({ print: () => {} });
  const encoder = new JpegLSEncoder();
  const { width, height, components, bits } = frame;
  const into = encoder.getDecodedBuffer({
    width,
    height,
    bitsPerSample: bits,
    componentCount: components,
  });
  into.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  encoder.encode();
  const bytes = Buffer.from(Uint8Array.from(encoder.getEncodedBuffer()));
  encoder.delete();
  return bytes;
};

/** A lossless JPEG (process 14) with five-bit codes for all lengths of differences. */
export const losslessJpeg = (
  samples: Uint16Array,
  {
    width,
    precision,
    predictor = 1,
  }: { readonly width: number; readonly precision: number; readonly predictor?: 1 | 2 },
): Buffer => {
  const height = samples.length / width;
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  const neighbour = (at: number): number => {
    const isTop = at < width;
    if (at === 0) return 2 ** (precision - 1);
    const isLeft = isTop || (predictor === 1 && at % width !== 0);
    return samples[isLeft ? at - 1 : at - width] ?? 0;
  };
  for (const [at, sample] of samples.entries()) {
    // Differences are modulo 65,536, from -32,767 to 32,768.
    const difference = ((sample - neighbour(at) + 32_767 + 65_536) % 65_536) - 32_767;
    const length = 32 - Math.clz32(Math.abs(difference));
    put(length, 5);
    if (length < 16) put(difference < 0 ? difference + 2 ** length - 1 : difference, length);
  }
  const coded = stuffed(bits);
  const counts = [0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const values = Array.from({ length: 17 }, (_, length) => length);
  return Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xc3, 0, 11, precision, ...u16(height), ...u16(width), 1, 1, 0x11, 0],
    ...[0xff, 0xc4, ...u16(2 + 17 + 17), 0, ...counts, ...values],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, predictor, 0, 0, ...coded, 0xff, 0xd9],
  ]);
};
