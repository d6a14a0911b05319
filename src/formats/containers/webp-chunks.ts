import type { Size } from "../../core/geometry.ts";

/** A WebP of one still image in the simple form (RFC 9649, sections 2.5 and 2.6). */
export interface SimpleWebp {
  readonly size: Size;
  readonly alpha: boolean;
  /** From its RIFF header to the end of its image, without trailing data. */
  readonly bytes: Uint8Array;
}

const riffHeader = 12;
const chunkHeader = 8;

/** Parses the header of a WebP in the simple form; undefined for any other file. */
export const simpleWebp = (bytes: Uint8Array): SimpleWebp | undefined => {
  if (bytes.length < riffHeader + chunkHeader + 10) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (fourOf(bytes, 0) !== "RIFF" || fourOf(bytes, 8) !== "WEBP") return undefined;
  const length = view.getUint32(riffHeader + 4, true);
  const end = riffHeader + chunkHeader + length + (length & 1);
  if (view.getUint32(4, true) + 8 !== end || end > bytes.length) return undefined;
  const picture = pictureOf(fourOf(bytes, riffHeader), view, riffHeader + chunkHeader);
  return picture && { ...picture, bytes: bytes.subarray(0, end) };
};

/** The content of a WebP's first chunk; undefined for any other file. */
export interface WebpHead {
  readonly size: Size;
  readonly alpha: boolean;
  readonly animated: boolean;
}

/** Parses only the first chunk, in the simple form or the extended one. */
export const webpHead = (bytes: Uint8Array): WebpHead | undefined => {
  if (bytes.length < riffHeader + chunkHeader + 10) return undefined;
  if (fourOf(bytes, 0) !== "RIFF" || fourOf(bytes, 8) !== "WEBP") return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = fourOf(bytes, riffHeader);
  const at = riffHeader + chunkHeader;
  if (kind !== "VP8X") {
    const picture = pictureOf(kind, view, at);
    return picture && { ...picture, animated: false };
  }
  const flags = view.getUint8(at);
  const size = { width: threeAt(view, at + 4) + 1, height: threeAt(view, at + 7) + 1 };
  return { size, alpha: (flags & hasAlpha) !== 0, animated: (flags & isAnimated) !== 0 };
};

const pictureOf = (
  kind: string,
  view: DataView,
  at: number,
): Omit<SimpleWebp, "bytes"> | undefined => {
  if (kind === "VP8 ") {
    const isKeyFrame = (view.getUint8(at) & 1) === 0 && view.getUint32(at + 2) << 8 === startCode;
    if (!isKeyFrame) return undefined;
    const width = view.getUint16(at + 6, true) & 0x3fff;
    return { size: { width, height: view.getUint16(at + 8, true) & 0x3fff }, alpha: false };
  }
  if (kind !== "VP8L" || view.getUint8(at) !== 0x2f) return undefined;
  const bits = view.getUint32(at + 1, true);
  const size = { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  return { size, alpha: ((bits >> 28) & 1) === 1 };
};

/** 9D 01 2A, as the upper bytes of a number (RFC 6386, section 9.1). */
const startCode = 0x9d012a << 8;

/** A simple WebP converted to the extended form with an ICC profile (RFC 9649, section 2.7). */
export const webpWithProfile = ({ size, alpha, bytes }: SimpleWebp, profile: Uint8Array) => {
  const picture = bytes.subarray(riffHeader);
  const padding = profile.length & 1;
  const body = 4 + chunkHeader + 10 + chunkHeader + profile.length + padding + picture.length;
  const file = new Uint8Array(8 + body);
  const view = new DataView(file.buffer);
  putFour(file, 0, "RIFF");
  view.setUint32(4, body, true);
  putFour(file, 8, "WEBP");
  file.set(extendedHead({ size, alpha }, hasProfile), riffHeader);
  const icc = riffHeader + chunkHeader + 10;
  putFour(file, icc, "ICCP");
  view.setUint32(icc + 4, profile.length, true);
  file.set(profile, icc + chunkHeader);
  file.set(picture, icc + chunkHeader + profile.length + padding);
  return file;
};

/** The first chunk of the extended form, `VP8X`, with its flags (RFC 9649, section 2.7). */
export const extendedHead = (
  { size, alpha }: Pick<WebpHead, "size" | "alpha">,
  flags = 0,
): Uint8Array => {
  const chunk = new Uint8Array(chunkHeader + 10);
  const view = new DataView(chunk.buffer);
  putFour(chunk, 0, "VP8X");
  view.setUint32(4, 10, true);
  view.setUint8(chunkHeader, flags | (alpha ? hasAlpha : 0));
  putThree(view, chunkHeader + 4, size.width - 1);
  putThree(view, chunkHeader + 7, size.height - 1);
  return chunk;
};

const hasProfile = 0x20;
const hasAlpha = 0x10;
/** Flags of the chunk VP8X for metadata. */
export const hasExif = 0x08;
export const hasXmp = 0x04;
const isAnimated = 0x02;

const fourOf = (bytes: Uint8Array, at: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + 4));

const putFour = (bytes: Uint8Array, at: number, text: string): void => {
  bytes.set(Buffer.from(text, "latin1"), at);
};

const putThree = (view: DataView, at: number, value: number): void => {
  view.setUint16(at, value & 0xffff, true);
  view.setUint8(at + 2, value >> 16);
};

const threeAt = (view: DataView, at: number): number =>
  view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
