import zlib from "node:zlib";
import { compileWasm } from "../core/wasm.ts";
import { compiledUnpacker } from "./compiled-codec.ts";
import { copyingUnpacker } from "./kernel-unpackers.ts";
import type { Unpacker } from "./unpacker.ts";

/** Undoes Zstandard: by Node's own decoder where it has one (from 22.15), else by that of codecs/. */
export const zstdUnpacker = async (tiles: WebAssembly.Module): Promise<Unpacker> => {
  const own: unknown = Object.getOwnPropertyDescriptor(zlib, "zstdDecompressSync")?.value;
  if (isDecompress(own))
    return copyingUnpacker(tiles, (bytes, most) => own(bytes, { maxOutputLength: most }));
  return compiledUnpacker(await compileWasm("codecs", "zstd"), tiles);
};

type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const isDecompress = (value: unknown): value is Decompress => typeof value === "function";
