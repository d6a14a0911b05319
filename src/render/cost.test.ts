import { describe, expect, it } from "vitest";
import { plan as anyPlan } from "../../test/plans.ts";
import type { FormatName } from "../core/formats.ts";
import type { ImageInfo, Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { costOf } from "./cost.ts";

const size = { width: 8_192, height: 4_096 };
const levels = [1, 2, 4, 8].map(
  (factor): Level => ({
    size: { width: size.width / factor, height: size.height / factor },
    tile: { width: 512, height: 512 },
  }),
);

const imageOf = (format: FormatName, changes: Partial<Page> = {}): ImageInfo => ({
  format,
  pages: [
    {
      size,
      orientation: 1,
      levels: [{ size, tile: size }],
      colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
      ...changes,
    },
  ],
});

const [full = { size, tile: size }, ...smaller] = levels;
const pyramid = imageOf("tif", { levels: [full, ...smaller] });

const planOf = (changes: Partial<Plan>): Plan => ({
  ...anyPlan,
  crop: { x: 0, y: 0, ...size },
  size,
  ...changes,
});

const tileOf = (factor: number): Plan =>
  planOf({
    crop: { x: 0, y: 0, width: 512 * factor, height: 512 * factor },
    size: { width: 512, height: 512 },
  });

const streams = { maxStreamed: 512 * 2 ** 20 };
const cost = (plan: Plan, info: ImageInfo) => costOf(plan, info, streams);
const mega = 2 ** 20;

describe("the cost of rendering", () => {
  it("is that of the touched tiles of the sufficient level", () => {
    for (const factor of [1, 2, 4, 8]) {
      const { bytes, pixels } = cost(tileOf(factor), pyramid);
      expect(bytes).toBeLessThan(8 * mega);
      expect(pixels).toBeLessThan(1_000_000);
      expect(bytes).toBeGreaterThan(512 * 512 * 3 * 2);
    }
  });

  it("is higher in time, but not in memory, for JPEG 2000 blocks", () => {
    const blocks = cost(tileOf(1), { ...pyramid, format: "jp2" });
    const tiles = cost(tileOf(1), pyramid);
    expect(blocks.bytes).toBeGreaterThan(tiles.bytes / 2);
    expect(blocks.bytes).toBeLessThan(tiles.bytes * 2);
    const more = blocks.pixels - tiles.pixels - 9 * 512 * 512;
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThan(100_000);
  });

  it("grows with the tiles of a JPEG 2000, however small the output", () => {
    const reduced = (side: number): ImageInfo => {
      const level = { size: { width: 512, height: 256 }, tile: { width: side, height: side } };
      return imageOf("jp2", { levels: [full, level] });
    };
    const small = planOf({ size: { width: 512, height: 256 } });
    expect(cost(small, reduced(256)).pixels).toBeLessThan(2_000_000);
    // 2,048 tiles, all of which have to be located.
    expect(cost(small, reduced(8)).pixels).toBeGreaterThan(20_000_000);
  });

  it("counts every tile that an unaligned region touches", () => {
    const within = cost(
      planOf({ crop: { x: 0, y: 0, width: 512, height: 512 }, size: { width: 512, height: 512 } }),
      pyramid,
    );
    const across = cost(
      planOf({
        crop: { x: 256, y: 256, width: 512, height: 512 },
        size: { width: 512, height: 512 },
      }),
      pyramid,
    );
    expect(across.pixels - within.pixels).toBe(3 * 512 * 512);
  });

  it("covers all rows down to the last one for a part of a JPEG or PNG", () => {
    const part = (y: number): Plan =>
      planOf({ crop: { x: 0, y, width: 512, height: 512 }, size: { width: 512, height: 512 } });
    for (const format of ["jpg", "png"] as const) {
      const bottom = cost(part(size.height - 512), imageOf(format)).pixels;
      expect(bottom).toBeGreaterThan(size.width * size.height);
      expect(cost(part(0), imageOf(format)).pixels).toBeLessThan(bottom / 5);
    }
    for (const format of ["webp", "avif"] as const)
      expect(cost(part(0), imageOf(format)).pixels).toBeGreaterThan(size.width * size.height);
  });

  it("includes what a progressive JPEG or interlaced PNG holds until its last bit is read", () => {
    const page = { progressive: true } as const;
    const small = planOf({ size: { width: 1_024, height: 512 } });
    const scans = cost(small, imageOf("jpg", page));
    expect(scans.bytes).toBeGreaterThan(size.width * size.height * 3 * 2);
    expect(scans.pixels).toBeGreaterThan(size.width * size.height);
    expect(cost(small, imageOf("jpg")).bytes).toBeLessThan(scans.bytes / 20);
    const tight = { maxStreamed: mega };
    const interlaced = costOf(tileOf(1), imageOf("png", page), tight);
    expect(interlaced.bytes).toBeGreaterThan(size.width * size.height * 3);
    expect(costOf(tileOf(1), imageOf("png"), tight).bytes).toBeLessThan(6 * mega);
  });

  it("decreases for a JPEG decoded at a reduced size, less in time than in memory", () => {
    const whole = cost(planOf({}), imageOf("jpg"));
    const eighth = cost(planOf({ size: { width: 1_024, height: 512 } }), imageOf("jpg"));
    expect(eighth.bytes).toBeLessThan(whole.bytes / 20);
    expect(eighth.pixels).toBeGreaterThan((size.width * size.height) / 8);
  });

  it("charges at most the configured bytes for streamed rows", () => {
    const info = imageOf("png");
    const small = costOf(tileOf(1), info, { maxStreamed: 10 * mega });
    expect(small.bytes).toBeLessThan(14 * mega);
    expect(cost(tileOf(1), imageOf("avif")).bytes).toBeGreaterThan(size.width * size.height * 3);
  });

  it("grows with samples, bits, rotation and slow encoders", () => {
    const colour = { bits: 16, model: "cmyk", alpha: true, profile: "none" } as const;
    const deep = imageOf("tif", { levels: [full, ...smaller], colour });
    const base = cost(tileOf(1), pyramid);
    expect(cost(tileOf(1), deep).bytes).toBeGreaterThan(base.bytes * 2.5);
    expect(cost({ ...tileOf(1), rotation: 45 }, pyramid).bytes).toBeGreaterThan(base.bytes);
    expect(cost({ ...tileOf(1), format: "avif" }, pyramid).pixels).toBeGreaterThan(base.pixels * 2);
  });
});
