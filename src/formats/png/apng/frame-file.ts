import { crc32 } from "node:zlib";
import { fail } from "../../../core/errors.ts";
import type { ByteRange, RangeReader } from "../../../core/range-reader.ts";
import type { Animation, ApngFrame } from "./animation.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/**
 * A frame as a PNG of its own: the file's header with the frame's size, the common chunks, its
 * pixels. Throws `unreadable` where that is more than `max` bytes, or the file ends within it.
 */
export const frameFile = async (
  reader: RangeReader,
  { header, shared }: Animation,
  { rect, data }: ApngFrame,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Buffer> => {
  const length = [...shared, ...data].reduce((sum, place) => sum + place.length, 0);
  if (length > max)
    fail(
      "unreadable",
      `Expected a frame of a PNG of at most ${max} bytes; this one has ${length}.`,
    );
  const own = Buffer.from(header);
  own.writeUInt32BE(rect.width, 0);
  own.writeUInt32BE(rect.height, 4);
  const parts = [signature, chunkOf("IHDR", own)];
  for (const { type, ...place } of shared)
    parts.push(chunkOf(type, await bytesAt(reader, place, signal)));
  for (const place of data) parts.push(chunkOf("IDAT", await bytesAt(reader, place, signal)));
  return Buffer.concat([...parts, chunkOf("IEND", Buffer.alloc(0))]);
};

const bytesAt = async (
  reader: RangeReader,
  { offset, length }: ByteRange,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const bytes =
    offset + length > reader.size ? new Uint8Array(0) : await reader.read(offset, length, signal);
  return bytes.length === length
    ? bytes
    : fail("unreadable", "Truncated PNG: the file ends within a frame.");
};

const chunkOf = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
};
