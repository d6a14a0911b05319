import { reserve } from "../core/wasm.ts";
import { newKernel, Renewed, type TileKernel, type Unpacker, undoDifferences } from "./unpacker.ts";

/** TIFF's LZW, by the kernel of assembly/tiles. */
export const lzwUnpacker = (tiles: WebAssembly.Module): Unpacker => {
  const kernels = new Renewed<TileKernel>(() => newKernel(tiles));
  return {
    unpack: (bytes, { most, differences }) =>
      kernels.with((kernel) => {
        const from = tablesBytes;
        const to = from + bytes.length;
        reserve(kernel, to + most + beyond);
        new Uint8Array(kernel.memory.buffer, from).set(bytes);
        const length = kernel.undoLzw(from, to, to, most, 0);
        if (length < 0) throw new Error("a code of the LZW data stands for nothing");
        const unpacked = new Uint8Array(kernel.memory.buffer, to, length);
        if (differences) undoDifferences(kernel, unpacked, differences);
        return unpacked;
      }),
  };
};

const tablesBytes = 32_768;
/** How far the kernel writes behind the last byte that counts. */
const beyond = 8;

/** Whatever a function unpacks, and differences undone by the kernel of assembly/tiles. */
export const copyingUnpacker = (
  tiles: WebAssembly.Module,
  unpack: (bytes: Uint8Array, most: number) => Uint8Array,
): Unpacker => {
  const kernels = new Renewed<TileKernel>(() => newKernel(tiles));
  return {
    unpack(bytes, { most, differences }) {
      const unpacked = unpack(bytes, most);
      if (differences === undefined) return unpacked;
      return kernels.with((kernel) => {
        reserve(kernel, unpacked.length);
        const copy = new Uint8Array(kernel.memory.buffer, 0, unpacked.length);
        copy.set(unpacked);
        undoDifferences(kernel, copy, differences);
        return copy;
      });
    },
  };
};
