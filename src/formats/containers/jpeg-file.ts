import { type Size, sameSize } from "../../core/geometry.ts";
import {
  frameOf,
  headSegments,
  isApplication,
  jfif,
  markers,
  type Segment,
} from "./jpeg-segments.ts";

/** The conditions for sending a file's image as it is, and which of its segments are kept. */
export interface StandaloneJpeg {
  /** Of the image. */
  readonly size: Size;
  /** Whether to keep its colour profile. */
  readonly profiled: boolean;
}

/**
 * A JPEG reduced to its image: without Exif, XMP, thumbnails, comments, and anything after its end.
 * The same bytes where it has none of that; undefined where it is not a complete JPEG in Huffman
 * coding, of 8 bits, grey or in three colours (ITU-T T.81, annex B).
 */
export const bareJpeg = (
  bytes: Uint8Array,
  { size, profiled }: StandaloneJpeg,
): Uint8Array | undefined => {
  const head = headSegments(bytes);
  const scan = head?.at(-1);
  if (head === undefined || scan?.marker !== markers.startOfScan) return undefined;
  const frame = frameOf(bytes, head);
  if (frame === undefined) return undefined;
  const count = frame.components.length;
  if (frame.precision !== 8 || (count !== 1 && count !== 3) || !sameSize(frame, size))
    return undefined;
  const isProgressive = head.some(({ marker }) => marker === progressive);
  if (isProgressive && !isScanSound(bytes, scan)) return undefined;
  const end = endOf(bytes, scan.end, isProgressive);
  if (end === undefined) return undefined;
  const parts = head.map((segment) => partOf(bytes, segment, { profiled }));
  const length = parts.reduce((sum, part) => sum + part.length, 2 + end - scan.end);
  // At the same length nothing was removed, and padding is harmless.
  if (length === bytes.length) return bytes;
  return Buffer.concat([bytes.subarray(0, 2), ...parts, bytes.subarray(scan.end, end)]);
};

/** The kept part of a segment. */
const partOf = (
  bytes: Uint8Array,
  { marker, at, end }: Segment,
  { profiled }: Pick<StandaloneJpeg, "profiled">,
): Uint8Array => {
  const segment = bytes.subarray(at, end);
  if (!isApplication(marker)) return segment;
  // These two define the colour model; one with a thumbnail is replaced by one without.
  if (marker === markers.app0 && begins(segment, "JFIF\0"))
    return segment.length === jfif.length ? segment : jfif;
  if (marker === markers.app14 && begins(segment, "Adobe")) return segment;
  if (profiled && marker === markers.app2 && begins(segment, "ICC_PROFILE\0")) return segment;
  return nothing;
};

const nothing = new Uint8Array(0);

/** Whether a segment's content begins with a text. */
const begins = (segment: Uint8Array, text: string): boolean =>
  Buffer.from(segment.buffer, segment.byteOffset + 4, Math.max(0, segment.length - 4))
    .subarray(0, text.length)
    .equals(Buffer.from(text, "latin1"));

/** The marker of a progressive frame. */
const progressive = 0xc2;

/**
 * Whether the scan header of a progressive JPEG names a valid part of the coefficients (ITU-T T.81,
 * G.1.1.1): decoders reject a file with any other, so it must not be passed on.
 */
const isScanSound = (bytes: Uint8Array, { at, end }: Pick<Segment, "at" | "end">): boolean => {
  const [first = 0, last = 0, approximation = 0] = bytes.subarray(end - 3, end);
  const [high, low] = [approximation >> 4, approximation & 15];
  const components = bytes[at + 4] ?? 0;
  const isDirect = first === 0 && last === 0;
  const isBand = first > 0 && first <= last && last < coefficients && components === 1;
  return (isDirect || isBand) && low <= maxShifted && (high === 0 || high === low + 1);
};

const coefficients = 64;
const maxShifted = 13;

/**
 * The end of an image whose first scan begins at `from`; undefined where there is none, or where
 * data is hidden between its scans.
 */
const endOf = (bytes: Uint8Array, from: number, isProgressive: boolean): number | undefined => {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0) {
    const marker = bytes[at + 1];
    if (marker === markers.endOfImage) return at + 2;
    const next = marker === undefined ? undefined : behind(bytes, at, marker);
    if (next === undefined) return undefined;
    if (marker === markers.startOfScan && isProgressive && !isScanSound(bytes, { at, end: next }))
      return undefined;
    at = bytes.indexOf(0xff, next);
  }
  return undefined;
};

/** The next position after a marker within scans or their tables. */
const behind = (bytes: Uint8Array, at: number, marker: number): number | undefined => {
  if (marker === 0xff) return at + 1;
  // Stuffed bytes and restart markers are part of a scan.
  if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) return at + 2;
  const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  return betweenScans.has(marker) ? at + 2 + length : undefined;
};

const betweenScans: ReadonlySet<number> = new Set([
  markers.huffman,
  markers.startOfScan,
  markers.quantisation,
  markers.restartInterval,
]);
