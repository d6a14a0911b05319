import { describe, expect, test } from "vitest";
import type { Orientation } from "../../core/geometry.ts";
import { endOf, orientationOf, streamOf, withSquarePixels } from "./probe.ts";

/** A display matrix as ffprobe prints it. */
const matrix = (a: number, b: number, c: number, d: number): string => {
  const row = (...numbers: readonly number[]): string =>
    numbers.map((number) => String(number * 65_536).padStart(13)).join("");
  return `\n00000000:${row(a, b, 0)}\n00000001:${row(c, d, 0)}\n00000002:${row(0, 0, 16_384)}\n`;
};

describe("display matrices", () => {
  test.each<[string, Orientation, string | undefined]>([
    ["none", 1, undefined],
    ["the identity", 1, matrix(1, 0, 0, 1)],
    ["a mirror image", 2, matrix(-1, 0, 0, 1)],
    ["half a turn", 3, matrix(-1, 0, 0, -1)],
    ["upside down", 4, matrix(1, 0, 0, -1)],
    ["transposed", 5, matrix(0, 1, 1, 0)],
    ["a quarter turn clockwise", 6, matrix(0, 1, -1, 0)],
    ["transposed the other way", 7, matrix(0, -1, -1, 0)],
    ["a quarter turn back", 8, matrix(0, -1, 1, 0)],
    ["a little askew", 1, matrix(0.9, 0.1, -0.1, 0.9)],
    ["nonsense", 1, "nonsense"],
  ])("%s is orientation %i", (_, orientation, text) => {
    expect(orientationOf(text)).toBe(orientation);
  });
});

test.each([
  ["1:1", 720, 576],
  ["64:45", 1_024, 576],
  ["8:9", 720, 648],
  ["0:1", 720, 576],
  ["1:0", 720, 576],
  ["1000:1", 720, 576],
  ["N/A", 720, 576],
])("a sample aspect ratio of %s gives the size in square pixels", (aspect, width, height) => {
  expect(withSquarePixels({ width: 720, height: 576 }, aspect)).toEqual({ width, height });
});

describe("the end of a video", () => {
  const told = (answer: object) => endOf(JSON.stringify(answer));
  const packet = (pts: number | undefined, dts: number) => ({
    ...(pts === undefined ? {} : { pts_time: `${pts}` }),
    dts_time: `${dts}`,
    duration_time: "0.5",
  });

  test("is the end of the last frame shown, relative to the start of the file", () => {
    const packets = [packet(12, 10.5), packet(11, 11), packet(11.5, 11.5)];
    expect(told({ packets, format: { start_time: "10.25" } })).toBe(2.25);
  });

  test("is estimated from decoding times when presentation times are missing", () => {
    const packets = [packet(1, 0.5), packet(undefined, 1), packet(undefined, 1.5)];
    expect(told({ streams: [{ has_b_frames: 1 }], packets })).toBe(2.5);
    expect(told({ packets })).toBe(2);
  });

  test.each([
    {},
    { packets: [{}] },
    { packets: [packet(1, 1)], format: { start_time: "9" } },
    { packets: [packet(1e300, 1)] },
  ])("is undefined for %j", (answer) => {
    expect(told(answer)).toBeUndefined();
  });
});

describe("ffprobe output", () => {
  const stream = { index: 1, width: 64, height: 48 };
  const told = (answer: object) => streamOf(JSON.stringify(answer));

  test("gives the first stream that has a size", () => {
    const answer = { streams: [{ index: 0 }, stream, { ...stream, index: 2 }] };
    expect(told(answer)).toEqual({
      index: 1,
      size: { width: 64, height: 48 },
      orientation: 1,
    });
  });

  test("gives the duration of the stream, else of the file, in either notation", () => {
    const format = { duration: "9.5" };
    expect(told({ streams: [{ ...stream, duration: "5.25" }], format }).seconds).toBe(5.25);
    const tags = { DURATION: "01:00:02.500000000" };
    expect(told({ streams: [{ ...stream, tags }], format }).seconds).toBe(3_602.5);
    expect(told({ streams: [stream], format }).seconds).toBe(9.5);
    for (const duration of ["N/A", "-1", "1e300", "9".repeat(30)])
      expect(told({ streams: [{ ...stream, duration }] }).seconds).toBeUndefined();
  });

  test("is treated as high definition for large YUV video without a colour space", () => {
    const large = { index: 0, width: 1_920, height: 1_080, pix_fmt: "yuv420p" };
    expect(told({ streams: [large] }).highDefinition).toBe(true);
    for (const other of [
      { color_space: "smpte170m" },
      { pix_fmt: "gbrp" },
      { width: 640, height: 360 },
    ])
      expect(told({ streams: [{ ...large, ...other }] }).highDefinition).toBeUndefined();
  });

  test.each(["", "{}", "[]", "null", '{"streams":[{"index":0,"width":0,"height":0}]}'])(
    "%s is not a video",
    (text) => {
      expect(() => streamOf(text)).toThrow(expect.objectContaining({ failure: "unreadable" }));
    },
  );
});
