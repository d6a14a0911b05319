import sharp from "sharp";
import { expect, it } from "vitest";
import { finishedPicture } from "./finished-bytes.ts";

const size = { width: 40, height: 30 };

it.each([
  [1, 8, "b-w"],
  [2, 8, "b-w"],
  [3, 8, "srgb"],
  [4, 8, "srgb"],
  [1, 16, "grey16"],
  [2, 16, "grey16"],
  [3, 16, "rgb16"],
  [4, 16, "rgb16"],
] as const)(
  "a finished image of %s samples of %s bits has all its bytes",
  async (samples, bits, space) => {
    const count = size.width * size.height * samples;
    const max = 2 ** bits;
    const data = Array.from({ length: count }, (_, n) => (n * 7_919 + 13) % max);
    const typed = bits === 8 ? Uint8Array.from(data) : Uint16Array.from(data);
    const image = sharp(typed, { raw: { ...size, channels: samples } }).toColourspace(space);
    const finished = await finishedPicture(image);
    expect(finished).toMatchObject({ ...size, samples, bits, profile: undefined });
    expect(Buffer.compare(finished.data, Buffer.from(typed.buffer))).toBe(0);
  },
);
