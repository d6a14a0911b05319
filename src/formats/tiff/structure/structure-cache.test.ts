import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { ImageInfo } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { complete } from "../../../core/steps.ts";
import { ByteCache } from "../../shared/byte-cache.ts";
import type { Decoder } from "../../shared/codec.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";
import { TiffStructureCache } from "./structure-cache.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);

const pyramid = (background: string, side = 300): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background } })
    .tiff({ compression: "jpeg", tile: true, tileWidth: 32, tileHeight: 32, pyramid: true })
    .toBuffer();

const part = {
  page: 0,
  level: 0,
  region: { x: 64, y: 32, width: 32, height: 32 },
  profiled: false,
};

/** A reader that records reads. */
const watched = (bytes: Uint8Array) => {
  const reads: { offset: number; length: number }[] = [];
  const reader = memoryReader(bytes);
  return {
    reads,
    reader: {
      ...reader,
      read: async (offset: number, length: number) => {
        reads.push({ offset, length });
        return reader.read(offset, length);
      },
    },
  };
};

const stored = async (decoder: Decoder, reader: RangeReader, info: ImageInfo) => {
  const steps = decoder.stored?.(reader, info, part, "jpg");
  return steps && complete(steps, reader, signal);
};

describe("the TIFF structure cache", () => {
  test("leaves only the tile's own bytes to be read", async () => {
    const bytes = await pyramid("red");
    const decoder = createTiffDecoder(settings, { kept: new TiffStructureCache(1 << 20) });
    const info = await decoder.info(memoryReader(bytes), signal);
    await stored(decoder, memoryReader(bytes), info);
    const { reads, reader } = watched(bytes);
    const tile = await stored(decoder, reader, info);
    expect(tile?.length).toBeGreaterThan(0);
    expect(reads).toHaveLength(1);
    expect(reads[0]?.length).toBeLessThan(tile?.length ?? 0);
  });

  test("reads offset and length lists together, then the tables and the tile", async () => {
    // So many tiles that both lists are longer than what is read around any position.
    const bytes = await pyramid("red", 4_800);
    const decoder = createTiffDecoder(settings, { kept: new TiffStructureCache(1 << 20) });
    const info = await decoder.info(memoryReader(bytes), signal);
    const asked: number[] = [];
    const reader: RangeReader = {
      ...memoryReader(bytes),
      async read(offset, length) {
        asked.push(1);
        return Uint8Array.from(bytes.subarray(offset, offset + length));
      },
      async readMany(ranges) {
        asked.push(ranges.length);
        return ranges.map(({ offset, length }) =>
          Uint8Array.from(bytes.subarray(offset, offset + length)),
        );
      },
    };
    expect(await stored(decoder, reader, info)).toBeInstanceOf(Uint8Array);
    // The tables shared by all tiles are elsewhere.
    expect(asked).toEqual([2, 1, 1]);
    asked.length = 0;
    expect(await stored(decoder, reader, info)).toBeInstanceOf(Uint8Array);
    expect(asked).toEqual([1]);
  });

  test("keeps files with different contents apart", async () => {
    const decoder = createTiffDecoder(settings, { kept: new TiffStructureCache(1 << 20) });
    const shown = async (bytes: Uint8Array) => {
      const info = await decoder.info(memoryReader(bytes), signal);
      const jpeg = await stored(decoder, memoryReader(bytes), info);
      const { dominant } = await sharp(jpeg).stats();
      return dominant.r > dominant.b ? "red" : "blue";
    };
    expect(await shown(await pyramid("red"))).toBe("red");
    expect(await shown(await pyramid("blue"))).toBe("blue");
  });

  test("stays within its limit, and evicted structures are read again", async () => {
    const max = 200_000;
    const kept = new TiffStructureCache(max);
    const decoder = createTiffDecoder(settings, { kept });
    const bytes = await pyramid("red");
    const first = await decoder.info(memoryReader(bytes), signal);
    for (let n = 0; n < 100; n++) {
      const info = await decoder.info(memoryReader(bytes), signal);
      await stored(decoder, memoryReader(bytes), info);
      const window = { page: 0, region: part.region, atLeast: part.region };
      await decoder.read(memoryReader(bytes), info, window, plan, signal);
      expect(kept.bytes).toBeLessThanOrEqual(max);
    }
    expect(kept.get(first)).toBeUndefined();
    expect(await stored(decoder, memoryReader(bytes), first)).toBeDefined();
  });
});

describe("a byte-limited cache", () => {
  test("evicts the least recently used entries and does not store oversized ones", () => {
    const bound = new ByteCache<string, number>(100);
    for (let n = 0; n < 10; n++) bound.set(`k${n}`, n, 10);
    bound.get("k0");
    bound.set("k10", 10, 20);
    expect(bound.get("k0")).toBe(0);
    expect(bound.get("k1")).toBeUndefined();
    expect(bound.get("k2")).toBeUndefined();
    expect(bound.bytes).toBe(100);
    bound.set("huge", 1, 26);
    expect(bound.get("huge")).toBeUndefined();
    bound.set("k0", 5, 1);
    expect(bound.bytes).toBe(91);
  });
});
