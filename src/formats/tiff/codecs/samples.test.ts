import { describe, expect, test } from "vitest";
import type { SampleLayout } from "../structure/layout.ts";
import { samplesOf } from "./samples.ts";

const layoutOf = (changes: Partial<SampleLayout>): SampleLayout => ({
  tile: { width: 4, height: 1 },
  planar: false,
  compression: 8,
  predictor: 2,
  photometric: 1,
  samples: 1,
  bits: 8,
  sampleFormat: "signed",
  fillOrder: 1,
  ...changes,
});

const little = { littleEndian: true, rows: 1 };
const read = (layout: Partial<SampleLayout>, values: ArrayBufferView, shape = little): number[] => {
  const { buffer, byteOffset, byteLength } = values;
  return [...samplesOf(layoutOf(layout), new Uint8Array(buffer, byteOffset, byteLength), shape)];
};

describe("samples with horizontal differencing", () => {
  test("wrap around the range of signed numbers", () => {
    expect(read({}, Int8Array.of(-100, -28, -1, 2))).toEqual([-100, -128, 127, -127]);
    const bits16 = Int16Array.of(-30_000, -2_768, -1, 10);
    expect(read({ bits: 16 }, bits16)).toEqual([-30_000, -32_768, 32_767, -32_759]);
    const bits32 = Int32Array.of(-(2 ** 31), -1, 1, -7);
    const around = [-(2 ** 31), 2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 7];
    expect(read({ bits: 32 }, bits32)).toEqual(around);
  });

  test("wrap around the range of unsigned numbers", () => {
    const unsigned = { sampleFormat: "unsigned" } as const;
    expect(read(unsigned, Uint8Array.of(250, 10, 255, 251))).toEqual([250, 4, 3, 254]);
  });

  test("accumulate per component and restart in each row", () => {
    const layout = { samples: 2, tile: { width: 2, height: 2 } };
    const values = Int8Array.of(-5, 7, -1, 1, 10, -20, -11, -2);
    const shape = { littleEndian: true, rows: 2 };
    expect(read(layout, values, shape)).toEqual([-5, 7, -6, 8, 10, -20, -1, -22]);
  });
});
