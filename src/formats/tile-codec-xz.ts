import { compileWasm } from "../core/wasm.ts";
import { type HeapCodec, newHeapCodec, room, withBytes } from "./heap-codec.ts";
import { decodedBytes } from "./tiff-layout.ts";
import type { TileCodec } from "./tile-codec.ts";
import { Renewed } from "./unpacker.ts";

interface Xz extends HeapCodec {
  /** How many bytes came out, at most `room`; -1 where the stream is damaged. */
  decode(from: number, length: number, to: number, room: number): number;
}

/** LZMA (34925): an .xz stream per tile. */
export const createXzCodec = async (): Promise<TileCodec> => {
  const module = await compileWasm("codecs", "xz");
  const codecs = new Renewed<Xz>(() => newHeapCodec(module));
  return ({ bytes, layout, rows }) =>
    codecs.with((xz) => {
      const most = decodedBytes(layout, rows);
      return withBytes(xz, bytes, (from) => {
        const to = room(xz, most);
        const length = xz.decode(from, bytes.length, to, most);
        if (length < 0) throw new Error("the XZ stream is damaged");
        const unpacked = new Uint8Array(xz.memory.buffer, to, length).slice();
        xz.release(to);
        return { bytes: unpacked };
      });
    });
};
