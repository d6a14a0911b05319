import type { Native } from "../core/native.ts";
import { compressions } from "./tiff-tags.ts";
import type { Unpacked, Unpacker } from "./unpacker.ts";

/** Unpackers of native code, by TIFF's number for what they undo. */
export const nativeUnpackers = (native: Native): ReadonlyMap<number, Unpacker> => {
  const room = keptRoom();
  const lossless = (unpack: Native["inflate"]): Unpacker => ({
    unpack(bytes, { most, differences }) {
      const into = room(most);
      const length = checked(unpack(bytes, into));
      if (differences) undo(native, into.subarray(0, length), differences);
      return into.subarray(0, length);
    },
  });
  const inflating = lossless(native.inflate);
  return new Map([
    [compressions.deflate, inflating],
    [compressions.oldDeflate, inflating],
    [compressions.zstd, lossless(native.unpackZstd)],
  ]);
};

const undo = (
  native: Native,
  pixels: Uint8Array,
  { width, samples, rows: [from, to] }: NonNullable<Unpacked["differences"]>,
): void => {
  const stride = width * samples;
  if (pixels.length < to * stride)
    throw new Error(`there are ${pixels.length} of ${to * stride} bytes`);
  checked(native.undoDifferences(pixels.subarray(from * stride), width, to - from, samples));
};

const checked = (length: number): number => {
  if (length < 0) throw new Error("the data is damaged");
  return length;
};

/** So many bytes, written over with the next call. */
type Room = (bytes: number) => Uint8Array;

const keptRoom = (): Room => {
  let kept = new Uint8Array();
  return (bytes) => {
    if (bytes <= kept.length) return kept.subarray(0, bytes);
    const room = Buffer.allocUnsafeSlow(bytes);
    if (bytes <= mostKept) kept = room;
    return room;
  };
};

/** In bytes. */
const mostKept = 33_554_432;
