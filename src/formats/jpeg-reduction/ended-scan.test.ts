import { expect, it } from "vitest";
import { random } from "../../../test/random.ts";
import { loadKernel } from "../../core/wasm.ts";
import { isEndedScan } from "./ended-scan.ts";
import type { JpegKernel } from "./kernel.ts";

const kernel = await loadKernel<JpegKernel>("jpeg");
const start = 5;

/** Whether a scan of so many bytes is ended, with 255 and another byte at each of these positions. */
const isEnded = (
  length: number,
  pairs: readonly (readonly [at: number, byte: number])[],
): boolean => {
  const dice = random(length);
  const bytes = Uint8Array.from({ length: start + length }, () => dice.whole(0, 254));
  for (const [at, byte] of pairs) bytes.set([0xff, byte].slice(0, length - at), start + at);
  const read = (to: Uint8Array, position: number): number => {
    const part = bytes.subarray(position, position + to.length);
    to.set(part);
    return part.length;
  };
  return isEndedScan(kernel, { read }, start);
};

it("a scan is ended by the end of the image, wherever that is", () => {
  for (const length of [2, 17, 64, 262_143, 262_144, 262_145, 524_288, 600_000])
    expect(isEnded(length, [[length - 2, 0xd9]])).toBe(true);
  for (let at = 262_140; at < 262_150; at++) expect(isEnded(600_000, [[at, 0xd9]])).toBe(true);
});

it("stuffed zeros, restart markers and fill bytes belong to it", () => {
  const within = [0, 0xd0, 0xd7].flatMap((byte, n) =>
    [3, 15, 16, 262_143, 262_144, 400_000].map((at) => [at + 20 * n, byte] as const),
  );
  expect(isEnded(600_000, within)).toBe(false);
  expect(isEnded(600_000, [...within, [500_000, 0xff], [500_001, 0xd9]])).toBe(true);
});

it("it is not ended by another marker, nor by the end of the file", () => {
  for (const byte of [0x01, 0xc4, 0xd8, 0xda, 0xdc, 0xfe])
    expect(
      isEnded(1_000, [
        [500, byte],
        [800, 0xd9],
      ]),
    ).toBe(false);
  expect(isEnded(1_000, [])).toBe(false);
  expect(isEnded(1_000, [[999, 0xd9]])).toBe(false);
  expect(isEnded(0, [])).toBe(false);
});
