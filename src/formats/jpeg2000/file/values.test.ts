import { describe, expect, it } from "vitest";
import { greySpace, rgbSpace } from "../../containers/colour-spaces.ts";
import type { Plane } from "../codestream/contract.ts";
import type { Channels } from "./channels.ts";
import { depthOf, pictureOf } from "./values.ts";

const signal = new AbortController().signal;

const plane = (samples: readonly number[], changes: Partial<Plane> = {}): Plane => ({
  precision: 8,
  signed: false,
  dx: 1,
  dy: 1,
  x: 0,
  y: 0,
  width: samples.length,
  height: 1,
  samples: Int32Array.from(samples),
  ...changes,
});

const grey: Channels = { space: greySpace, colours: [{ component: 0 }], premultiplied: false };

const drawn = async (
  what: Channels,
  planes: readonly Plane[],
  pixels = { x: 0, y: 0, width: planes[0]?.width ?? 0, height: 1 },
): Promise<number[]> => {
  const { values } = await pictureOf(what, new Map(planes.entries()), {
    pixels,
    depth: depthOf(what, planes),
    signal,
  });
  return Array.from(values);
};

describe("samples become values", () => {
  it.each([
    [1, [0, 1], [0, 255]],
    [2, [0, 1, 2, 3], [0, 85, 170, 255]],
    [4, [0, 7, 15], [0, 119, 255]],
    [7, [0, 64, 127], [0, 129, 255]],
    [8, [0, 100, 255], [0, 100, 255]],
    [9, [0, 256, 511], [0, 32_832, 65_535]],
    [12, [0, 2_048, 4_095], [0, 32_776, 65_535]],
    [16, [0, 300, 65_535], [0, 300, 65_535]],
    [20, [0, 524_288, 1_048_575], [0, 32_768, 65_535]],
  ])("of %i bits from black to white", async (precision, samples, values) => {
    expect(await drawn(grey, [plane(samples, { precision })])).toEqual(values);
  });

  it("of signed samples, offset by half their range", async () => {
    const signed = plane([-128, 0, 127], { signed: true });
    expect(await drawn(grey, [signed])).toEqual([0, 128, 255]);
    const deep = plane([-2_048, 2_047], { signed: true, precision: 12 });
    expect(await drawn(grey, [deep])).toEqual([0, 65_535]);
  });

  it("of a palette, with the last entry for values beyond it", async () => {
    const column = { precision: 4, signed: false, values: [0, 15, 5] };
    const what: Channels = { ...grey, colours: [{ component: 0, column }] };
    expect(await drawn(what, [plane([0, 1, 2, 200])])).toEqual([0, 255, 85, 85]);
    const signed = { precision: 8, signed: true, values: [-128, 127] };
    const dark: Channels = { ...grey, colours: [{ component: 0, column: signed }] };
    expect(await drawn(dark, [plane([-1, 0], { precision: 1, signed: true })])).toEqual([0, 255]);
  });

  it("of subsampled components, repeated for the pixels they cover", async () => {
    const what: Channels = {
      space: rgbSpace,
      colours: [{ component: 0 }, { component: 1 }, { component: 2 }],
      premultiplied: false,
    };
    const fine = plane([1, 2, 3, 4], { x: 3 });
    const half = plane([10, 20, 30], { dx: 2, x: 1 });
    const third = plane([50], { dx: 3, x: 2 });
    const pixels = { x: 3, y: 0, width: 4, height: 1 };
    expect(await drawn(what, [fine, half, third], pixels)).toEqual([
      1, 10, 50, 2, 20, 50, 3, 20, 50, 4, 30, 50,
    ]);
  });

  it("of rows as well", async () => {
    const tall = plane([7, 8], { dy: 2, y: 5, width: 1, height: 2 });
    const pixels = { x: 0, y: 11, width: 1, height: 3 };
    expect(await drawn(grey, [tall], pixels)).toEqual([7, 8, 8]);
  });

  it("and missing ones are reported", async () => {
    await expect(drawn(grey, [plane([])], { x: 0, y: 0, width: 1, height: 1 })).rejects.toThrow(
      "Component 1 of the JPEG 2000 has no samples",
    );
  });
});

describe("colours", () => {
  const three = (values: readonly number[], changes: Partial<Plane> = {}) =>
    values.map((value) => plane([value], changes));
  const of = (coding: Channels["space"]["coding"], changes: Partial<Channels> = {}): Channels => ({
    space: { ...rgbSpace, coding },
    colours: [{ component: 0 }, { component: 1 }, { component: 2 }],
    premultiplied: false,
    ...changes,
  });

  it.each([
    ["ycc", [76, 85, 255], [254, 0, 0]],
    ["ycc", [255, 128, 128], [255, 255, 255]],
    ["ycc", [29, 255, 107], [0, 0, 254]],
    ["video601", [16, 128, 128], [0, 0, 0]],
    ["video601", [235, 128, 128], [255, 255, 255]],
    ["video601", [82, 90, 240], [255, 0, 0]],
    ["video709", [63, 102, 240], [255, 1, 0]],
    ["inverted", [0, 255, 55], [255, 0, 200]],
    ["lab", [255, 128, 96], [255, 255, 255]],
    ["lab", [0, 128, 96], [0, 0, 0]],
    ["lab", [138, 249, 185], [255, 0, 0]],
  ] as const)("in %s of %o are %o", async (coding, stored, wanted) => {
    const values = await drawn(of(coding), three(stored));
    for (const [channel, value] of values.entries())
      expect(Math.abs(value - (wanted[channel] ?? 0)), `channel ${channel}`).toBeLessThan(5);
  });

  it("are the same at 16 bits", async () => {
    const values = await drawn(of("ycc"), three([76 * 257, 85 * 257, 65_535], { precision: 16 }));
    expect((values[0] ?? 0) >> 8).toBeGreaterThanOrEqual(253);
    expect((values[1] ?? 0) >> 8).toBe(0);
  });

  it("of extended sRGB are clipped to sRGB", async () => {
    const code = (light: number): number => 384 + 510 * light;
    const values = await drawn(
      of("extended"),
      three([code(0), code(1), code(0.6)], { precision: 10 }),
    );
    expect(values.map((value) => Math.round(value / 257))).toEqual([0, 255, 153]);
    const beyond = await drawn(of("extended"), three([0, 1_023, 384], { precision: 10 }));
    expect(beyond.map((value) => value >> 8)).toEqual([0, 255, 0]);
  });

  it("of CIELAB use the ranges given in the file", async () => {
    const lab = [
      [100, 0],
      [255, 128],
      [255, 128],
    ] as const;
    const what = of("lab", { space: { ...rgbSpace, coding: "lab", lab } });
    const [red, green, blue] = await drawn(what, three([136, 128 + 80, 128 + 67]));
    expect(red).toBeGreaterThan(250);
    expect(green).toBeLessThan(20);
    expect(blue).toBeLessThan(20);
  });

  it("with premultiplied alpha are divided by it", async () => {
    const what = of("plain", { alpha: { component: 3 }, premultiplied: true });
    expect(await drawn(what, three([64, 128, 200, 128]))).toEqual([128, 255, 255, 128]);
    expect(await drawn(what, three([64, 128, 200, 0]))).toEqual([64, 128, 200, 0]);
    expect(await drawn({ ...what, premultiplied: false }, three([64, 128, 200, 128]))).toEqual([
      64, 128, 200, 128,
    ]);
  });
});
