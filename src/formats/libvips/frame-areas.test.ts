import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { rasterBombs } from "../../../test/malformed/bombs/raster.ts";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { areasOfFrames } from "./frame-areas.ts";

const signal = new AbortController().signal;
const codecs = createCodecs(new Resources(new Config()));

const animation = (format: "gif" | "webp") => {
  const pages = 5;
  const page = 40 * 30 * 3;
  const pixels = Buffer.from(
    Array.from({ length: page * pages }, (_, at) => (at * (1 + Math.floor(at / page))) & 255),
  );
  const raw = { width: 40, height: 30 * pages, channels: 3, pageHeight: 30 } as const;
  return sharp(pixels, { raw }).toFormat(format).toBuffer();
};

describe("frames of an animation", () => {
  test.each(["gif", "webp"] as const)("are counted with their pixels: %s", async (format) => {
    const reader = memoryReader(new Uint8Array(await animation(format)));
    const areas = await areasOfFrames(format, reader, 100, signal);
    expect(areas.length).toBe(5);
    expect(areas[0]).toBe(1_200);
    for (const [at, sum] of areas.entries()) expect(sum).toBeLessThanOrEqual(1_200 * (at + 1));
    expect(await areasOfFrames(format, reader, 2, signal)).toEqual(areas.slice(0, 2));
    for (let cut = 0; cut < reader.size; cut += 100) {
      const bytes = (await reader.read(0, cut, signal)).slice();
      const found = await areasOfFrames(format, memoryReader(bytes), 100, signal);
      expect(areas.slice(0, found.length)).toEqual(found);
    }
  });

  test.each(["gif-last-frame.gif", "webp-last-frame.webp", "apng-last-frame.png"])(
    "are refused beyond very many pixels: %s",
    async (name) => {
      const bomb = rasterBombs.find((one) => one.name === name);
      const reader = memoryReader(new Uint8Array((await bomb?.make()) ?? []));
      const format = name.endsWith("png") ? "png" : name.endsWith("gif") ? "gif" : "webp";
      const { decoder } = await codecs(format);
      const info = await decoder?.info(reader, signal);
      if (decoder === undefined || info === undefined) throw new Error("Expected a decoder");
      const region = { x: 0, y: 0, width: 100, height: 100 };
      const window = { page: info.pages.length - 1, region, atLeast: region };
      await expect(decoder.read(reader, info, window, plan, signal)).rejects.toMatchObject({
        failure: "unreadable",
        message: expect.stringContaining("pixels of earlier frames"),
      });
      const first = await decoder.read(reader, info, { ...window, page: 0 }, plan, signal);
      expect(first.size).toEqual(info.pages[0].size);
    },
  );

  test("are refused where a WebP has hundreds of thousands", async () => {
    const bomb = rasterBombs.find(({ name }) => name === "webp-frames.webp");
    const reader = memoryReader(new Uint8Array((await bomb?.make()) ?? []));
    const { decoder } = await codecs("webp");
    await expect(decoder?.info(reader, signal)).rejects.toThrow("at most 32768 frames");
  });
});
