import {
  bytesAt,
  inputRoom,
  newKernel,
  place,
  ReusedInstance,
  type TileKernel,
  type Unpacker,
  undoDifferences,
  unxz,
} from "../../wasm/index.ts";
import { compressions } from "../structure/index.ts";

/** The decompressors of the kernel in assembly/tiles, which share its memory. */
export interface KernelUnpackers {
  /** By TIFF's compression number. */
  readonly unpackers: ReadonlyMap<number, Unpacker>;
  /**
   * Input memory for so many bytes, which an unpacker then need not copy; valid only until the next
   * call of any of these.
   */
  room(length: number): Uint8Array;
}

export const kernelUnpackers = (tiles: WebAssembly.Module): KernelUnpackers => {
  const kernels = new ReusedInstance<TileKernel>(() => newKernel(tiles));
  const unpacker = (unpack: Unpack): Unpacker => ({
    unpack: (bytes, { max, differences }) =>
      kernels.with((kernel) => {
        const unpacked = unpack(kernel, bytes, max);
        if (differences) undoDifferences(kernel, unpacked, differences);
        return unpacked;
      }),
  });
  const inflating = unpacker(plainly("inflate", "the zlib stream is damaged"));
  const unpackers = new Map([
    [compressions.none, copying(kernels)],
    [compressions.lzw, unpacker(plainly("undoLzw", "a code of the LZW data stands for nothing"))],
    [compressions.deflate, inflating],
    [compressions.oldDeflate, inflating],
    [compressions.zstd, unpacker(plainly("unzstd", "the Zstandard data is damaged"))],
    [compressions.lzma, unpacker(unxz)],
  ]);
  return { unpackers, room: (length) => kernels.with((kernel) => inputRoom(kernel, length)) };
};

/**
 * Returns the output in the kernel's memory, at most `max` bytes; throws where the data is corrupt.
 */
type Unpack = (kernel: TileKernel, bytes: Uint8Array, max: number) => Uint8Array;

const plainly =
  (name: "undoLzw" | "inflate" | "unzstd", failure: string): Unpack =>
  (kernel, bytes, max) => {
    const { from, end, to } = place(kernel, bytes, max);
    const length = kernel[name](from, end, to, max);
    if (length < 0) throw new Error(failure);
    return bytesAt(kernel, to, length);
  };

/** Uncompressed data is only copied where a predictor has to be undone. */
const copying = (kernels: ReusedInstance<TileKernel>): Unpacker => ({
  unpack(bytes, { differences }) {
    if (differences === undefined) return bytes;
    return kernels.with((kernel) => {
      const { from } = place(kernel, bytes, 0);
      const copy = bytesAt(kernel, from, bytes.length);
      undoDifferences(kernel, copy, differences);
      return copy;
    });
  },
});
