import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { testPicture } from "../../../test/drawing.ts";
import { plan as plain } from "../../../test/plans.ts";
import { InlineTime } from "../shared/index.ts";
import { pixelEncoderWith } from "./pixel-encoder.ts";
import { createTileThreads } from "./tile-threads.ts";

const limits = () => ({ threads: 1, ms: 10_000 });
const threads = createTileThreads(limits);
const without = createTileThreads(limits, new InlineTime(0));
afterAll(() => Promise.all([threads.close(), without.close()]));

const { signal } = new AbortController();
const size = { width: 300, height: 200 };
const plan = { ...plain, format: "jpg", encoding: { quality: 92, subsampling: "4:4:4" } } as const;

describe("pixels are encoded as JPEG", async () => {
  const image = sharp(await testPicture(size)).removeAlpha();
  const bytes = await image.clone().raw().toBuffer();
  const profile = Uint8Array.from({ length: 300 }, (_, n) => n & 255);
  const pixels = { bytes, size, samples: 3, profile: undefined } as const;

  it("at once, with their profile", async () => {
    const encode = pixelEncoderWith(threads);
    const jpeg = (await encode(pixels, plan, signal)) ?? Buffer.alloc(0);
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ ...size, channels: 3 });
    const differences = data.map((value, at) => Math.abs(value - (bytes[at] ?? 0)));
    expect(differences.reduce((sum, one) => sum + one, 0) / data.length).toBeLessThan(3);
    const profiled = (await encode({ ...pixels, profile }, plan, signal)) ?? Buffer.alloc(0);
    expect(Buffer.from(profiled).includes(Buffer.from(profile))).toBe(true);
    expect(Buffer.from(jpeg).includes(Buffer.from(profile))).toBe(false);
  });

  it("on another thread where turns of this one have no time left", async () => {
    const own = await pixelEncoderWith(threads)(pixels, plan, signal);
    // Their memory is handed over.
    const other = await pixelEncoderWith(without)(
      { ...pixels, bytes: Uint8Array.from(bytes) },
      plan,
      signal,
    );
    expect(own).toBeDefined();
    expect(other).toEqual(own);
  });

  it("by libvips where it would be progressive", async () => {
    const progressive = { ...plan, encoding: { ...plan.encoding, progressive: true } };
    expect(await pixelEncoderWith(threads)(pixels, progressive, signal)).toBeUndefined();
  });
});
