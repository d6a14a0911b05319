import zlib from "node:zlib";
import type { CacheEntry } from "./cache.ts";

// "VTR" and the version of this layout: one byte of another layout makes the entry a miss.
const magic = 0x56_54_52_01;
const headerBytes = 24;

/**
 * The stored form of an entry: 4 bytes of magic, the checksum (CRC-32) of all that follows it,
 * milliseconds since 1970 (float64), the length of the body (uint32), the checksum of its name,
 * then the body. Numbers are big-endian.
 */
export const seal = (name: string, { body, storedAt }: CacheEntry): Uint8Array => {
  const sealed = Buffer.allocUnsafeSlow(headerBytes + body.byteLength);
  sealed.writeUInt32BE(magic, 0);
  sealed.writeDoubleBE(storedAt.getTime(), 8);
  sealed.writeUInt32BE(body.byteLength, 16);
  sealed.writeUInt32BE(zlib.crc32(name), 20);
  sealed.set(body, headerBytes);
  sealed.writeUInt32BE(zlib.crc32(sealed.subarray(8)), 4);
  return sealed;
};

/** The sealed entry; undefined where it is corrupt, or another entry's. */
export const unseal = (name: string, sealed: Uint8Array): CacheEntry | undefined => {
  if (sealed.byteLength < headerBytes) return undefined;
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const isWhole =
    bytes.readUInt32BE(0) === magic &&
    bytes.readUInt32BE(16) === bytes.byteLength - headerBytes &&
    bytes.readUInt32BE(20) === zlib.crc32(name) &&
    bytes.readUInt32BE(4) === zlib.crc32(bytes.subarray(8));
  if (!isWhole) return undefined;
  const body = new Uint8Array(
    sealed.buffer,
    sealed.byteOffset + headerBytes,
    bytes.readUInt32BE(16),
  );
  return { body, storedAt: new Date(bytes.readDoubleBE(8)) };
};
