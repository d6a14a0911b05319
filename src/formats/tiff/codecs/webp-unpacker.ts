import { createFreeing } from "../../../core/free-memory.ts";
import { area } from "../../../core/geometry.ts";
import { webpHead } from "../../containers/index.ts";
import {
  bytesAt,
  newKernel,
  place,
  ReusedInstance,
  type TileKernel,
  type Unpacker,
} from "../../wasm/index.ts";

/**
 * libwebp for the calling thread. Decodes WebP of three samples, of exactly the expected size: the
 * header is checked before decoding. The next call overwrites the pixels.
 */
export const createWebpUnpacker = async (tiles: WebAssembly.Module): Promise<Unpacker> => {
  const { webp } = await import("icodec/node");
  await webp.loadDecoder();
  const free = await createFreeing();
  const kernels = new ReusedInstance<TileKernel>(() => newKernel(tiles));
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
      const pixels = kernels.with((kernel) => withoutAlpha(kernel, samples));
      free(samples.buffer);
      return pixels;
    },
  };
};

const withoutAlpha = (kernel: TileKernel, samples: Uint8ClampedArray): Uint8Array => {
  const length = (samples.length / 4) * 3;
  const { from, end, to } = place(kernel, samples, length);
  kernel.dropFourth(from, end, to);
  return bytesAt(kernel, to, length);
};
