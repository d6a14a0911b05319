import { crc32, deflateSync } from "node:zlib";
import type { Rect } from "../src/core/geometry.ts";

/** Samples of 8 bits. */
export type Pixel = readonly [red: number, green: number, blue: number, opacity: number];

const numbers = (...values: readonly (readonly [value: number, bytes: number])[]): Buffer =>
  Buffer.concat(
    values.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntBE(value, 0, bytes);
      return buffer;
    }),
  );

const chunk = (type: string, ...data: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...data]);
  return Buffer.concat([numbers([body.length - 4, 4]), body, numbers([crc32(body), 4])]);
};

/** Of the canvas of an animation. */
export const size = { width: 4, height: 2 };
/** All of the canvas. */
export const whole: Rect = { x: 0, y: 0, ...size };

const header = chunk("IHDR", numbers([size.width, 4], [size.height, 4], [8, 1], [6, 1], [0, 3]));

/** Rows of one colour, compressed. */
const filled = ({ width, height }: Rect, pixel: Pixel): Buffer => {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => pixel).flat()]);
  return deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
};

/** A frame of one colour; by default it covers the canvas, and replaces what is there. */
export interface FrameOf {
  readonly rect?: Rect;
  readonly pixel: Pixel;
  readonly dispose?: 0 | 1 | 2;
  readonly blend?: 0 | 1;
}

const control = (sequence: number, { rect = whole, dispose = 0, blend = 0 }: FrameOf): Buffer =>
  chunk(
    "fcTL",
    numbers([sequence, 4], [rect.width, 4], [rect.height, 4], [rect.x, 4], [rect.y, 4]),
    numbers([1, 2], [10, 2], [dispose, 1], [blend, 1]),
  );

/**
 * An animated PNG of frames of one colour each, optionally after a still image that is not one of
 * them.
 */
export const animated = (frames: readonly FrameOf[], still?: Pixel): Buffer => {
  let sequence = 0;
  const parts: Buffer[] = [Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), header];
  parts.push(chunk("acTL", numbers([frames.length, 4], [0, 4])));
  if (still !== undefined) parts.push(chunk("IDAT", filled(whole, still)));
  for (const [index, frame] of frames.entries()) {
    parts.push(control(sequence++, frame));
    const data = filled(frame.rect ?? whole, frame.pixel);
    // In two pieces, as frames may come.
    if (index === 0 && still === undefined)
      parts.push(chunk("IDAT", data.subarray(0, 5)), chunk("IDAT", data.subarray(5)));
    else
      for (const piece of [data.subarray(0, 5), data.subarray(5)])
        parts.push(chunk("fdAT", numbers([sequence++, 4]), piece));
  }
  return Buffer.concat([...parts, chunk("IEND")]);
};

/** A PNG with corrected checksums, as far as it consists of chunks. */
export const withChecksums = (file: Uint8Array): Uint8Array => {
  const bytes = Buffer.from(file);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) break;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return bytes;
};
