import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { bytesAt, type Places, place, type TileKernel } from "./tile-kernel.ts";
import {
  expectIndex,
  readBlockHeader,
  readStreamHeader,
  streamHeaderBytes,
  type XzRecord,
} from "./xz-headers.ts";

/**
 * Decodes the first stream of an .xz file (version 1.2.1 of the format): LZMA2, and delta filters.
 * Returns at most `max` bytes, in the kernel's memory; the rest of the stream is not examined.
 * Throws where it is corrupt.
 */
export const unxz = (kernel: TileKernel, packed: Uint8Array, max: number): Uint8Array => {
  const places = place(kernel, packed, max);
  const bytes = bytesAt(kernel, places.from, places.end - places.from);
  const check = readStreamHeader(bytes);
  const records: XzRecord[] = [];
  let at = streamHeaderBytes;
  let length = 0;
  while (bytes[at] !== 0) {
    const block = undoBlock(kernel, { bytes, places, at, length, check }, max);
    length += block.unpacked;
    if (block.end === undefined || length === max) return bytesAt(kernel, places.to, length);
    records.push({ stored: block.stored, unpacked: block.unpacked });
    at = block.end;
  }
  expectIndex(bytes, at, { check, records });
  return bytesAt(kernel, places.to, length);
};

/** A partly decoded stream. */
interface Stream {
  readonly bytes: Uint8Array;
  readonly places: Places;
  /** Position of the next block. */
  readonly at: number;
  /** Output bytes of the previous ones. */
  readonly length: number;
  readonly check: number;
}

/** A decoded block; it has no end where there was room for a part of it only. */
interface Undone extends XzRecord {
  readonly end?: number;
}

const undoBlock = (
  kernel: TileKernel,
  { bytes, places, at, length, check }: Stream,
  max: number,
): Undone => {
  const header = readBlockHeader(bytes, at);
  const to = places.to + length;
  const unpacked = kernel.unlzma2(places.from + header.end, places.end, to, max - length);
  if (unpacked < 0) throw damaged();
  for (const distance of header.deltas) kernel.undoDelta(to, unpacked, distance);
  const packedTo = kernel.endOfLzma2() - places.from;
  if (packedTo < 0) return { stored: 0, unpacked };
  const packed = packedTo - header.end;
  if (packed !== (header.packed ?? packed) || unpacked !== (header.unpacked ?? unpacked))
    throw damaged();
  const sum = packedTo + (-packed & 3);
  if (bytes.subarray(packedTo, sum).some((byte) => byte !== 0)) throw damaged();
  const sumBytes = checkBytes(check);
  const stored = bytes.subarray(sum, sum + sumBytes);
  if (stored.length < sumBytes || !isRight(kernel, check, stored, { to, unpacked }))
    throw damaged();
  return { end: sum + sumBytes, stored: packedTo - at + sumBytes, unpacked };
};

const damaged = (): Error => new Error("the XZ stream is damaged");

/** Length of a check by type (2.1.1.2). */
const checkBytes = (check: number): number => (check === 0 ? 0 : 4 * 2 ** Math.ceil(check / 3 - 1));

/** Whether a block's check is right, or of an unknown type. */
const isRight = (
  kernel: TileKernel,
  check: number,
  stored: Uint8Array,
  { to, unpacked }: { readonly to: number; readonly unpacked: number },
): boolean => {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const bytes = bytesAt(kernel, to, unpacked);
  if (check === checks.crc32) return view.getUint32(0, true) === crc32(bytes);
  if (check === checks.crc64)
    return view.getBigUint64(0, true) === BigInt.asUintN(64, kernel.crc64(to, unpacked));
  if (check === checks.sha256) return createHash("sha256").update(bytes).digest().equals(stored);
  return true;
};

const checks = { crc32: 1, crc64: 4, sha256: 10 };
