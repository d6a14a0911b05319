import { fail } from "../../core/errors.ts";

/** The frame header of a JPEG (ISO/IEC 10918-1, B.2.2). */
export interface JpegFrame {
  /** The second byte of its marker: 0xc0 baseline, 0xc1 extended, 0xc3 lossless, 0xf7 JPEG-LS. */
  readonly kind: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
}

export interface JpegComponent {
  readonly id: number;
  readonly across: number;
  readonly down: number;
  readonly quantisation: number;
}

/** A marker segment: its contents, and the offset after it. */
export interface JpegSegment {
  readonly marker: number;
  readonly body: Uint8Array;
  readonly end: number;
}

/** The marker segment at or after an offset; undefined at the end. */
export const segmentAt = (bytes: Uint8Array, from: number): JpegSegment | undefined => {
  let at = from;
  while (at + 1 < bytes.length && (bytes[at] !== 0xff || !isMarker(bytes[at + 1] ?? 0))) at++;
  const marker = bytes[at + 1];
  if (marker === undefined) return undefined;
  const isAlone = marker === 0xd8 || marker === 0xd9 || (marker >= 0xd0 && marker <= 0xd7);
  if (isAlone) return { marker, body: bytes.subarray(at + 2, at + 2), end: at + 2 };
  const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  if (length < 2 || at + 2 + length > bytes.length) return undefined;
  return { marker, body: bytes.subarray(at + 4, at + 2 + length), end: at + 2 + length };
};

const isMarker = (byte: number): boolean => byte !== 0 && byte !== 0xff;

/** Frame headers: all of SOF except DHT, JPG and DAC, and that of JPEG-LS. */
export const isFrame = (marker: number): boolean =>
  marker === 0xf7 ||
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc);

const maxSegments = 1_024;

/** The frame header of a JPEG; throws `unreadable` where there is none. */
export const frameOf = (bytes: Uint8Array): JpegFrame => {
  let at = 0;
  for (let count = 0; count < maxSegments; count++) {
    const segment = segmentAt(bytes, at);
    if (segment === undefined) break;
    if (isFrame(segment.marker)) return readFrame(segment);
    at = segment.end;
  }
  return fail("unreadable", "A JPEG in the DICOM file has no frame header.");
};

/** Parses a frame header. */
export const readFrame = ({ marker, body }: JpegSegment): JpegFrame => {
  const [precision = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, count = 0] = body;
  if (count < 1 || body.length < 6 + count * 3)
    fail("unreadable", "Expected components in a JPEG of the DICOM file.");
  return {
    kind: marker,
    precision,
    height: h1 * 256 + h0,
    width: w1 * 256 + w0,
    components: Array.from({ length: count }, (_, index) => {
      const [id = 0, factors = 0, quantisation = 0] = body.subarray(6 + index * 3);
      return { id, across: factors >> 4, down: factors & 15, quantisation };
    }),
  };
};
