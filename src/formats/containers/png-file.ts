import { crc32 } from "node:zlib";
import type { StandaloneJpeg } from "./jpeg-file.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Length and type before a chunk's data, and the checksum after it. */
const around = 12;

/**
 * A PNG reduced to its image: without texts, Exif, further frames, and anything after its end. The
 * same bytes where it has none of that; undefined where it is not a complete PNG of the given size,
 * where a chunk's checksum is wrong, or where it has transparency (PNG, third edition, section 5).
 */
export const barePng = (
  bytes: Uint8Array,
  { size, profiled }: StandaloneJpeg,
): Uint8Array | undefined => {
  const chunks = chunksOf(bytes);
  const [header] = chunks ?? [];
  if (chunks === undefined || header?.type !== "IHDR" || header.bytes.length !== headerLength)
    return undefined;
  const view = new DataView(header.bytes.buffer, header.bytes.byteOffset, headerLength);
  if (view.getUint32(8) !== size.width || view.getUint32(12) !== size.height) return undefined;
  const kept = (type: string): boolean => picture.has(type) || (profiled && type === "iCCP");
  if (chunks.some(({ type }) => !kept(type) && isNeeded(type))) return undefined;
  const parts = chunks.filter(({ type }) => kept(type)).map((chunk) => chunk.bytes);
  if (!parts.every(isSound)) return undefined;
  const length = parts.reduce((sum, part) => sum + part.length, signature.length);
  return length === bytes.length ? bytes : Buffer.concat([signature, ...parts]);
};

interface Chunk {
  readonly type: string;
  /** Whole length, including its length field and checksum. */
  readonly bytes: Uint8Array;
}

/** The chunks of a PNG up to its end; undefined where that is missing. */
const chunksOf = (bytes: Uint8Array): readonly Chunk[] | undefined => {
  if (!Buffer.from(bytes.subarray(0, signature.length)).equals(signature)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Chunk[] = [];
  for (let at = signature.length; at + around <= bytes.length; ) {
    const end = at + around + view.getUint32(at);
    if (end > bytes.length) return undefined;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    chunks.push({ type, bytes: bytes.subarray(at, end) });
    if (type === "IEND") return chunks;
    at = end;
  }
  return undefined;
};

/** Whether a chunk's checksum is right: corrupt chunks must not be sent. */
const isSound = (chunk: Uint8Array): boolean => {
  const end = chunk.length - 4;
  const sum = new DataView(chunk.buffer, chunk.byteOffset + end, 4).getUint32(0);
  return crc32(chunk.subarray(4, end)) === sum;
};

const headerLength = 25;

/**
 * Whether removing a chunk changes the image: transparency, and types with a capital first letter.
 */
const isNeeded = (type: string): boolean => type === "tRNS" || !/^[a-z]/.test(type);

const picture: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);

/** The image header of a PNG, and its compressed rows. */
export interface PictureChunks {
  readonly header: {
    readonly width: number;
    readonly height: number;
    readonly bits: number;
    /** 0 for grey. */
    readonly colour: number;
  };
  readonly data: Uint8Array;
}

/** Extracts the image of a PNG; undefined where it is incomplete. */
export const pictureChunks = (bytes: Uint8Array): PictureChunks | undefined => {
  const chunks = chunksOf(bytes);
  const [head] = chunks ?? [];
  if (chunks === undefined || head?.type !== "IHDR" || head.bytes.length !== headerLength)
    return undefined;
  const view = new DataView(head.bytes.buffer, head.bytes.byteOffset, headerLength);
  return {
    header: {
      width: view.getUint32(8),
      height: view.getUint32(12),
      bits: view.getUint8(16),
      colour: view.getUint8(17),
    },
    data: Buffer.concat(
      chunks.filter(({ type }) => type === "IDAT").map((chunk) => chunk.bytes.subarray(8, -4)),
    ),
  };
};
