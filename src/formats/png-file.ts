import type { Wanted } from "./jpeg-file.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Length and type before a chunk's data, and the sum after it. */
const around = 12;

/**
 * A PNG without all that is not its picture: texts, Exif, further frames, and whatever stands behind
 * its end. The same bytes where there is nothing of that; undefined where it is no whole PNG of the
 * size, or has transparency (PNG, third edition, section 5).
 */
export const barePng = (bytes: Uint8Array, { size, profiled }: Wanted): Uint8Array | undefined => {
  const chunks = chunksOf(bytes);
  const [header] = chunks ?? [];
  if (chunks === undefined || header?.type !== "IHDR" || header.bytes.length !== headerLength)
    return undefined;
  const view = new DataView(header.bytes.buffer, header.bytes.byteOffset, headerLength);
  if (view.getUint32(8) !== size.width || view.getUint32(12) !== size.height) return undefined;
  const kept = (type: string): boolean => picture.has(type) || (profiled && type === "iCCP");
  if (chunks.some(({ type }) => !kept(type) && isNeeded(type))) return undefined;
  const parts = chunks.filter(({ type }) => kept(type)).map((chunk) => chunk.bytes);
  const length = parts.reduce((sum, part) => sum + part.length, signature.length);
  return length === bytes.length ? bytes : Buffer.concat([signature, ...parts]);
};

interface Chunk {
  readonly type: string;
  /** All of it, its length and its sum as well. */
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

const headerLength = 25;

/** Whether the picture is another without a chunk: transparency, and what has a capital first letter. */
const isNeeded = (type: string): boolean => type === "tRNS" || !/^[a-z]/.test(type);

const picture: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
