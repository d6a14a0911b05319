import { endianness } from "node:os";
import { createFreeing } from "../../../core/free-memory.ts";
import { area } from "../../../core/geometry.ts";
import { webpHead } from "../../containers/index.ts";
import type { Unpacker } from "../../wasm/index.ts";

/**
 * libwebp for the calling thread. Decodes WebP of three samples, of exactly the expected size: the
 * header is checked before decoding. The next call overwrites the pixels.
 */
export const createWebpUnpacker = async (): Promise<Unpacker> => {
  const { webp } = await import("icodec/node");
  await webp.loadDecoder();
  const free = await createFreeing();
  let kept = new Uint8Array(0);
  const roomFor = (length: number): Uint8Array => {
    if (length > maxKept) return new Uint8Array(length);
    if (kept.length < length) kept = new Uint8Array(length);
    return kept.subarray(0, length);
  };
  /** Four samples a pixel. */
  const decode = (bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> | undefined => {
    try {
      return webp.decode(bytes).data;
    } catch (error) {
      // A trap of the WebAssembly module has another name; it does not mean that the file is damaged.
      if (error instanceof Error && error.name === "Error") return undefined;
      throw error;
    }
  };
  return {
    unpack(bytes, { size }) {
      if (size === undefined) throw new Error("WebP is only undone where its size is known");
      const head = webpHead(bytes);
      if (head === undefined) throw new Error("the head of a WebP is damaged");
      if (head.alpha || head.animated)
        throw new Error("a WebP has transparency or moves where a TIFF has three samples");
      const { width, height } = head.size;
      if (width !== size.width || height !== size.height)
        throw new Error(`a tile of ${size.width} x ${size.height} has ${width} x ${height} pixels`);
      const samples = decode(bytes);
      if (samples?.length !== area(size) * 4) throw new Error("the data of a WebP is damaged");
      const pixels = roomFor(area(size) * 3);
      packOpaque(samples, pixels);
      free(samples.buffer);
      return pixels;
    },
  };
};

/** Maximum bytes of pixels whose memory is reused. */
const maxKept = 4_194_304;

/**
 * Copies three of every four samples. Four pixels at a time are three words from four, which takes a
 * fifth of the time of single samples.
 */
const packOpaque = (from: Uint8ClampedArray, to: Uint8Array): void => {
  const pixels = from.length / 4;
  const blocks = isLittleEndian && to.byteOffset % 4 === 0 ? Math.floor(pixels / 4) : 0;
  const [input, output] = [wordsOf(from, blocks * 4), wordsOf(to, blocks * 3)];
  for (let at = 0, end = 0; end < output.length; at += 4, end += 3) {
    const [second, third] = [input[at + 1] as number, input[at + 2] as number];
    output[end] = ((input[at] as number) & 0xff_ff_ff) | (second << 24);
    output[end + 1] = ((second >>> 8) & 0xff_ff) | (third << 16);
    output[end + 2] = ((third >>> 16) & 0xff) | ((input[at + 3] as number) << 8);
  }
  for (let pixel = blocks * 4; pixel < pixels; pixel++)
    for (let sample = 0; sample < 3; sample++)
      to[pixel * 3 + sample] = from[pixel * 4 + sample] as number;
};

const isLittleEndian = endianness() === "LE";

const wordsOf = ({ buffer, byteOffset }: Uint8Array | Uint8ClampedArray, count: number) =>
  new Uint32Array(buffer, byteOffset, count);
