import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { type Drawable, drawn, planFor, testPicture, wholeFile } from "../../test/drawing.ts";
import { assemble, difference, partOf, pixelsOf } from "../../test/likeness.ts";
import type { Size } from "../core/geometry.ts";
import type { Canvas, Mark } from "../core/overlay.ts";
import { type Plan, planKey } from "../core/plan.ts";
import { canvasOf, marksOn } from "./overlay.ts";
import { ways } from "./ways.ts";

const page: Size = { width: 1000, height: 700 };
const at = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

const placed = (
  crop: ReturnType<typeof at>,
  size: Size,
  { mirror = false, rotation = 0 }: { mirror?: boolean; rotation?: number } = {},
) => canvasOf({ resolved: { size, mirror, rotation }, extent: { page, crop } }, "page");

describe("an overlay is placed", () => {
  const tile = at(512, 256, 256, 256);
  const size = { width: 128, height: 128 };
  const whole = { width: 500, height: 350 };
  const tall = { width: 350, height: 500 };

  it.each<[string, Canvas, Canvas]>([
    ["upright", placed(tile, size), { size: whole, shown: at(256, 128, 128, 128) }],
    [
      "mirrored",
      placed(tile, size, { mirror: true }),
      { size: whole, shown: at(116, 128, 128, 128) },
    ],
    ["at 90", placed(tile, size, { rotation: 90 }), { size: tall, shown: at(94, 256, 128, 128) }],
    [
      "mirrored at 180",
      placed(tile, size, { mirror: true, rotation: 180 }),
      { size: whole, shown: at(256, 94, 128, 128) },
    ],
    [
      "at 270",
      placed(tile, size, { rotation: 270 }),
      { size: tall, shown: at(128, 116, 128, 128) },
    ],
    [
      "in the last cell",
      placed(at(768, 512, 232, 188), { width: 116, height: 94 }),
      { size: whole, shown: at(384, 256, 116, 94) },
    ],
    [
      "on the whole page",
      placed(at(0, 0, 1000, 700), whole),
      { size: whole, shown: at(0, 0, 500, 350) },
    ],
  ])("on the whole page for a tile: %s", (_, canvas, expected) => {
    expect(canvas).toEqual(expected);
  });

  it.each<[string, Canvas, Size]>([
    ["a region that is no tile", placed(at(100, 50, 256, 256), size), size],
    ["a tile at an odd angle", placed(tile, size, { rotation: 45 }), { width: 181, height: 181 }],
    [
      "a tile at another scale",
      placed(tile, { width: 150, height: 100 }),
      { width: 150, height: 100 },
    ],
    [
      "any, where that is wanted",
      canvasOf(
        { resolved: { size, mirror: false, rotation: 0 }, extent: { page, crop: tile } },
        "response",
      ),
      size,
    ],
  ])("on the response for %s", (_, canvas, expected) => {
    expect(canvas).toEqual({ size: expected, shown: { x: 0, y: 0, ...expected } });
  });
});

/** A ramp of red and green, half transparent in its lower half. */
const ramp = (x: number, y: number, width: number, height: number): Mark => ({
  ...at(x, y, width, height),
  pixels(part) {
    const pixels = new Uint8Array(part.width * part.height * 4);
    for (let row = 0; row < part.height; row++)
      for (let column = 0; column < part.width; column++) {
        const across = ((part.x + column) * 255) / width;
        const down = part.y + row;
        pixels.set(
          [across, 255 - across, 0, down * 2 < height ? 255 : 128],
          (row * part.width + column) * 4,
        );
      }
    return pixels;
  },
});

const coverOn = (canvas: Canvas, mark: Mark): NonNullable<Plan["cover"]> => ({
  redactions: [],
  overlay: { key: "ramp", operation: {}, marks: marksOn([mark], canvas) },
});

const small: Size = { width: 120, height: 80 };
const picture = async (): Promise<Drawable> => wholeFile(await testPicture(small), small);

describe("tiles with an overlay", () => {
  it.each([
    { mirror: false, rotation: 0 },
    { mirror: true, rotation: 0 },
    { mirror: true, rotation: 90 },
    { mirror: false, rotation: 180 },
  ])("join to the whole image with it: %o", async (turn) => {
    const drawable = await picture();
    const half = { width: 60, height: 40 };
    const draw = async (crop: ReturnType<typeof at>, size: Size) => {
      const plan = planFor(drawable, { crop, size, ...turn });
      const canvas = canvasOf({ resolved: plan, extent: { page: small, crop } }, "page");
      // It extends beyond the canvas and touches no tile of the first row or column alone.
      const cover = coverOn(canvas, ramp(canvas.size.width - 40, canvas.size.height - 30, 50, 50));
      return {
        shown: canvas.shown,
        pixels: await pixelsOf(await drawn(drawable, { ...plan, cover })),
      };
    };
    const whole = (await draw(at(0, 0, 120, 80), half)).pixels;
    const tiles = await Promise.all(
      [at(0, 0, 64, 64), at(64, 0, 56, 64), at(0, 64, 64, 16), at(64, 64, 56, 16)].map((crop) =>
        draw(crop, { width: crop.width / 2, height: crop.height / 2 }),
      ),
    );
    const joined = assemble(
      whole,
      tiles.map(({ shown: { x, y }, pixels }) => ({ x, y, pixels })),
    );
    expect(difference(joined, whole).max).toBeLessThanOrEqual(1);
    const bare = await pixelsOf(await drawn(drawable, { size: half, ...turn }));
    expect(difference(whole, bare).mean).toBeGreaterThan(10);
    const kept = at(0, 0, whole.width - 40, whole.height);
    expect(difference(partOf(whole, kept), partOf(bare, kept)).max).toBe(0);
  });
});

describe("marks", () => {
  const canvas: Canvas = { size: small, shown: { x: 0, y: 0, ...small } };
  const cover = coverOn(canvas, ramp(10, 10, 40, 40));
  const pixelAt = async (body: Uint8Array, x: number, y: number): Promise<readonly number[]> => {
    const { data, channels } = await pixelsOf(body, { alpha: true }).then((all) =>
      partOf(all, at(x, y, 1, 1)),
    );
    return [...data.slice(0, channels)];
  };

  it("are opaque or blended with what is below", async () => {
    const drawable = await picture();
    const bare = await pixelAt(await drawn(drawable), 30, 45);
    const body = await drawn(drawable, { cover });
    expect(await pixelAt(body, 30, 20)).toEqual([127, 127, 0, 255]);
    const mixed = (mark: number, under = 0): number => Math.round((mark * 128 + under * 127) / 255);
    expect(await pixelAt(body, 30, 45)).toEqual([
      mixed(127, bare[0]),
      mixed(127, bare[1]),
      mixed(0, bare[2]),
      255,
    ]);
  });

  it("are grey on grey images, black or white on bitonal ones", async () => {
    const grey = await drawn(await picture(), { cover, quality: "gray" });
    expect(await sharp(grey).metadata()).toMatchObject({ space: "b-w" });
    // 0.2126 · 127 + 0.7152 · 127
    expect(await pixelAt(grey, 30, 20)).toEqual([118, 118, 118, 255]);
    for (const format of ["png", "tif"] as const) {
      const body = await drawn(await picture(), { cover, quality: "bitonal", format });
      const { data } = await pixelsOf(body);
      expect([...new Set(data)].sort(), format).toEqual([0, 255]);
    }
  });

  it("keep their own transparency on transparent pixels", async () => {
    const clear = await sharp({
      create: { ...small, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const drawable = wholeFile(clear, small, { colour: { alpha: true } });
    const body = await drawn(drawable, { cover });
    expect(await pixelAt(body, 30, 45)).toEqual([127, 127, 0, 128]);
    expect((await pixelAt(body, 5, 5))[3]).toBe(0);
    const onWhite = await drawn(drawable, {
      cover,
      format: "tif",
      encoding: { compression: "jpeg", quality: 100 },
    });
    expect((await pixelAt(onWhite, 5, 5)).slice(0, 3)).toEqual([255, 255, 255]);
  });

  it("preserve 16 bits per sample", async () => {
    const deep = await sharp(await testPicture(small))
      .toColourspace("rgb16")
      .png()
      .toBuffer();
    const drawable = wholeFile(deep, small, { colour: { bits: 16 } });
    const body = await drawn(drawable, { cover, deep: true });
    const { data, info } = await sharp(body)
      .toColourspace("rgb16")
      .raw({ depth: "ushort" })
      .toBuffer({ resolveWithObject: true });
    const values = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    const first = (20 * info.width + 30) * info.channels;
    expect([...values.slice(first, first + 3)]).toEqual([127 * 257, 127 * 257, 0]);
  });

  it("of a wrong length make rendering fail", async () => {
    const short: Mark = { ...at(0, 0, 9, 9), pixels: () => new Uint8Array(3) };
    await expect(drawn(await picture(), { cover: coverOn(canvas, short) })).rejects.toMatchObject({
      failure: "internal",
    });
  });

  it("that do not touch the response are omitted", () => {
    const shown = at(20, 20, 10, 10);
    const marks = [ramp(0, 0, 20, 99), ramp(30, 0, 9, 99), ramp(25, 0, 9, 21)];
    expect(marksOn(marks, { size: small, shown }).map(({ x, y }) => [x, y])).toEqual([[5, -20]]);
  });

  it("exclude the ways without libvips, and are part of the plan's key", async () => {
    const drawable = await picture();
    const quick: Partial<Plan> = { stored: true, direct: true, whole: true, format: "png" };
    const bare = planFor(drawable, quick);
    const plan: Plan = { ...bare, cover };
    const { info, decoder } = drawable;
    const means = { info, decoder, part: "none" };
    expect(ways[0]?.whyNot(bare, means)).toBeUndefined();
    const open = ways.filter((way) => way.whyNot(plan, means) === undefined);
    expect(open.map(({ name }) => name)).toEqual(["drawn"]);
    expect(planKey(plan)).not.toBe(planKey(bare));
  });
});
