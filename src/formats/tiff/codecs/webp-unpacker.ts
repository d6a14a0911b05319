import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import createWebp from "@jsquash/webp/codec/dec/webp_dec.js";
import { area } from "../../../core/geometry.ts";
import { webpHead } from "../../containers/index.ts";
import type { Unpacker } from "../../wasm/index.ts";

/**
 * libwebp for the calling thread. Decodes WebP of three samples, of exactly the expected size: the
 * header is checked before decoding.
 */
export const createWebpUnpacker = async (): Promise<Unpacker> => {
  // The package would fetch its module by a URL, which Node does not support for files.
  const wasm = createRequire(import.meta.url).resolve("@jsquash/webp/codec/dec/webp_dec.wasm");
  const module = await WebAssembly.compile(await readFile(wasm));
  const webp = await createWebp({
    noInitialRun: true,
    instantiateWasm(imports, use) {
      const instance = new WebAssembly.Instance(module, imports);
      use(instance);
      return instance.exports;
    },
    print() {},
    printErr() {},
  });
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
      const picture = webp.decode(bytes);
      if (picture === null || picture.data.length !== area(size) * 4)
        throw new Error("the data of a WebP is damaged");
      return opaque(picture.data);
    },
  };
};

/** Removes every fourth sample, in place. */
const opaque = (samples: Uint8ClampedArray): Uint8Array => {
  const pixels = samples.length / 4;
  for (let pixel = 1, from = 4, to = 3; pixel < pixels; pixel++, from += 4, to += 3) {
    samples[to] = samples[from] as number;
    samples[to + 1] = samples[from + 1] as number;
    samples[to + 2] = samples[from + 2] as number;
  }
  return new Uint8Array(samples.buffer, samples.byteOffset, pixels * 3);
};
