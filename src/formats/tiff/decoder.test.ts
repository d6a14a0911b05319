import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import { complete } from "../../core/steps.ts";
import type { Raster } from "../shared/codec.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createTiffDecoder } from "./decoder.ts";
import { emptyTile } from "./read/empty.ts";
import { decodeHere } from "./read/inline-samples.ts";
import { codedFor, fillTiles, storedTiles } from "./read/tiles.ts";
import { type AssembledField, assembleTiff } from "./structure/assembly.ts";
import { readPages } from "./structure/pages.ts";
import { tags } from "./structure/tags.ts";
import { readTiff } from "./structure/walk.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const page: Size = { width: 301, height: 203 };

/** Colours that are different at every position. */
const drawn = (channels: 1 | 3 | 4 = 3): Buffer => {
  const data = Buffer.alloc(page.width * page.height * channels);
  for (let y = 0; y < page.height; y++)
    for (let x = 0; x < page.width; x++) {
      const at = (y * page.width + x) * channels;
      const colour = [x * 0.8, y * 1.2, (x * y) / 300, 255 - y];
      for (let band = 0; band < channels; band++) data[at + band] = colour[band] ?? 0;
    }
  return data;
};

const picture = (channels: 1 | 3 | 4 = 3) =>
  sharp(drawn(channels), { raw: { ...page, channels }, limitInputPixels: false });

const open = async (bytes: Uint8Array) => {
  const reader = memoryReader(bytes);
  const decoder = createTiffDecoder(settings);
  const info = await decoder.info(reader, signal);
  return {
    info,
    read: (region: Rect, atLeast: Size): Promise<Raster> =>
      decoder.read(reader, info, { page: 0, region, atLeast }, plan, signal),
  };
};

const raw = async (image: Sharp) => image.raw().toBuffer();

describe("a window of a TIFF", () => {
  const region = { x: 70, y: 90, width: 100, height: 40 };

  test.each([
    ["uncompressed strips", { compression: "none" }],
    ["LZW strips with a predictor", { compression: "lzw", predictor: "horizontal" }],
    ["deflate tiles", { compression: "deflate", tile: true, tileWidth: 64, tileHeight: 48 }],
    ["uncompressed tiles", { compression: "none", tile: true, tileWidth: 32, tileHeight: 32 }],
    ["BigTIFF tiles", { compression: "lzw", tile: true, bigtiff: true }],
  ] as const)("has the same pixels as the whole image: %s", async (_, options) => {
    const { read } = await open(await picture().tiff(options).toBuffer());
    const raster = await read(region, region);
    const { covers } = raster;
    expect(covers.x).toBeLessThanOrEqual(region.x);
    expect(covers.x + covers.width).toBeGreaterThanOrEqual(region.x + region.width);
    expect(covers.y + covers.height).toBeGreaterThanOrEqual(region.y + region.height);
    expect(raster.size).toEqual({ width: covers.width, height: covers.height });
    const whole = picture().extract({
      left: covers.x,
      top: covers.y,
      width: covers.width,
      height: covers.height,
    });
    expect((await raw(raster.image)).equals(await raw(whole))).toBe(true);
  });

  test("reads only its rows of an uncompressed file", async () => {
    const bytes = await picture().tiff({ compression: "none" }).toBuffer();
    let max = 0;
    const reader = memoryReader(bytes);
    const watched = {
      ...reader,
      read: async (offset: number, length: number) => {
        max = Math.max(max, length);
        return reader.read(offset, length);
      },
    };
    const decoder = createTiffDecoder(settings);
    const info = await decoder.info(watched, signal);
    const row = { x: 0, y: 100, width: page.width, height: 2 };
    const raster = await decoder.read(
      watched,
      info,
      { page: 0, region: row, atLeast: row },
      plan,
      signal,
    );
    expect(raster.covers).toEqual(row);
    expect(max).toBeLessThanOrEqual(65_536);
  });
});

describe("a TIFF pyramid", () => {
  const pyramid = () =>
    picture()
      .tiff({ compression: "lzw", tile: true, tileWidth: 32, tileHeight: 32, pyramid: true })
      .toBuffer();
  const all = { x: 0, y: 0, ...page };

  test("uses the smallest sufficient level, within a pixel", async () => {
    const { info, read } = await open(await pyramid());
    expect(info.pages).toHaveLength(1);
    const widths = info.pages[0].levels.map(({ size }) => size.width);
    expect(widths.slice(0, 4)).toEqual([301, 150, 75, 37]);
    const widthFor = async (width: number): Promise<number> =>
      (await read(all, { width, height: Math.floor((width * page.height) / page.width) })).size
        .width;
    expect(await widthFor(301)).toBe(301);
    expect(await widthFor(152)).toBe(301);
    expect(await widthFor(151)).toBe(150);
    expect(await widthFor(100)).toBe(150);
    expect(await widthFor(60)).toBe(75);
  });

  test("reports the region of the full size that a level's pixels cover", async () => {
    const { read } = await open(await pyramid());
    const raster = await read(all, { width: 75, height: 50 });
    expect(raster.covers).toEqual({ x: 0, y: 0, width: 300, height: 200 });
    const corner = await read(
      { x: 200, y: 150, width: 101, height: 53 },
      { width: 25, height: 13 },
    );
    expect(corner.covers.x).toBe(128);
    expect(corner.covers.x + corner.covers.width).toBe(300);
  });
});

const field = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint16(index * 2, value, true);
  return { tag, type: 3, count: values.length, bytes };
};

/** A TIFF of one 16 x 16 tile or strip with these bytes. */
const handmade = (
  contents: readonly Uint8Array[],
  options: {
    readonly fields: readonly AssembledField[];
    readonly size?: Size;
    readonly strips?: true;
  },
): Uint8Array => {
  const { fields, size = { width: 16, height: 16 } } = options;
  const { file, slots } = assembleTiff({
    littleEndian: true,
    ...size,
    ...(options.strips ? {} : { tile: { width: 16, height: 16 } }),
    fields,
    lengths: contents.map(({ length }) => length),
  });
  for (const [index, content] of contents.entries()) slots[index]?.set(content);
  return file;
};

describe("samples that the image library cannot read are converted", () => {
  const all = { x: 0, y: 0, width: 16, height: 16 };
  const shown = async (bytes: Uint8Array) => {
    const { read } = await open(bytes);
    const { image } = await read(all, all);
    return image.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  };

  test("Zstandard", async () => {
    const pixels = Uint8Array.from({ length: 256 }, (_, index) => index);
    // One frame of one stored block: its magic number, a size of 256, and the block's header.
    const header = [0x28, 0xb5, 0x2f, 0xfd, 0x60, 0, 0, 1 | ((256 << 3) & 255), 256 >> 5, 0];
    const bytes = handmade([Uint8Array.from([...header, ...pixels])], {
      fields: [
        field(tags.bitsPerSample, 8),
        field(tags.compression, 50_000),
        field(tags.photometric, 1),
      ],
    });
    const { data, info } = await shown(bytes);
    expect(data[200 * info.channels]).toBe(200);
    expect(data[17 * info.channels]).toBe(17);
  });

  test("twelve bits", async () => {
    const packed = new Uint8Array(16 * 24);
    // Every pair of pixels: 0xfff, then 0x000.
    for (let at = 0; at < packed.length; at += 3) packed.set([0xff, 0xf0, 0x00], at);
    const bytes = handmade([packed], {
      strips: true,
      fields: [
        field(tags.bitsPerSample, 12),
        field(tags.compression, 1),
        field(tags.photometric, 1),
      ],
    });
    const { read } = await open(bytes);
    const { image } = await read(all, all);
    const deep = await image.toColourspace("grey16").raw({ depth: "ushort" }).toBuffer();
    expect([deep.readUInt16LE(0), deep.readUInt16LE(2)]).toEqual([65_535, 0]);
  });

  test("planar tiles", async () => {
    const planes = [10, 120, 230].map((value) => new Uint8Array(256).fill(value));
    const bytes = handmade(planes, {
      fields: [
        field(tags.bitsPerSample, 8, 8, 8),
        field(tags.compression, 1),
        field(tags.photometric, 2),
        field(tags.samplesPerPixel, 3),
        field(tags.planarConfiguration, 2),
      ],
    });
    const { data, info } = await shown(bytes);
    expect(info.channels).toBe(3);
    expect([...data.subarray(0, 3)]).toEqual([10, 120, 230]);
  });

  test("without extra samples other than alpha", async () => {
    const pixels = new Uint8Array(256 * 5);
    for (let at = 0; at < pixels.length; at += 5) pixels.set([1, 2, 3, 99, 128], at);
    const bytes = handmade([pixels], {
      fields: [
        field(tags.bitsPerSample, 8, 8, 8, 8, 8),
        field(tags.compression, 1),
        field(tags.photometric, 2),
        field(tags.samplesPerPixel, 5),
        field(tags.extraSamples, 0, 2),
      ],
    });
    const { data, info } = await shown(bytes);
    expect(info.channels).toBe(4);
    expect([...data.subarray(0, 4)]).toEqual([1, 2, 3, 128]);
  });

  test("CIELAB", async () => {
    const pixels = new Uint8Array(256 * 3);
    for (let at = 0; at < pixels.length; at += 3) pixels.set([138, 81, 70], at);
    const bytes = handmade([pixels], {
      fields: [
        field(tags.bitsPerSample, 8, 8, 8),
        field(tags.compression, 1),
        field(tags.photometric, 8),
        field(tags.samplesPerPixel, 3),
      ],
    });
    const { data } = await shown(bytes);
    // Lab 54.1, 81, 70 under D50 is the red of sRGB.
    expect(data[0]).toBeGreaterThan(250);
    expect(data[1]).toBeLessThan(12);
    expect(data[2]).toBeLessThan(12);
  });

  test("to the same values for every lossless compression", async () => {
    const all = [...drawn(3)];
    const decode = decodeHere();
    const plain = { range: undefined, profiled: false };
    for (const options of [
      { compression: "lzw", predictor: "horizontal" },
      { compression: "lzw", predictor: "none" },
      { compression: "deflate", predictor: "horizontal" },
      { compression: "packbits" },
    ] as const) {
      const bytes = await picture().tiff(options).toBuffer();
      const { level, coded, tiles } = await partsOf(bytes, { x: 0, y: 0, ...page });
      const numbers: number[] = [];
      for (const [index, tile] of tiles.entries()) {
        const rows = Math.min(level.tile.height, page.height - index * level.tile.height);
        const wanted = { size: { ...page, height: rows }, channels: [0, 1, 2], ...plain };
        const samples = await decode({ ...coded, bytes: tile, rows, wanted }, signal);
        for (const sample of samples) numbers.push(sample);
      }
      expect(numbers).toEqual(all);
    }
  });
});

/** The tiles of an area, and what decoding them needs. */
const partsOf = (bytes: Uint8Array, area: Rect) => {
  function* read() {
    const file = yield* readTiff(bytes.length);
    const [level] = (yield* readPages(file))[0];
    const tiles = yield* fillTiles(file, yield* storedTiles(file, level, area));
    return { level, tiles, coded: yield* codedFor(file, level) };
  }
  return complete(read(), memoryReader(bytes), signal);
};

describe("missing tiles are black", () => {
  const all = { x: 0, y: 0, width: 32, height: 16 };

  test.each([
    ["LZW", 5, 2],
    ["PackBits", 32_773, 2],
    ["deflate", 8, 2],
    ["JPEG of RGB", 7, 2],
    ["JPEG of YCbCr", 7, 6],
  ])("%s", async (_, compression, photometric) => {
    const fields = [
      field(tags.bitsPerSample, 8, 8, 8),
      field(tags.compression, compression),
      field(tags.photometric, photometric),
      field(tags.samplesPerPixel, 3),
      ...(photometric === 6 ? [field(tags.yCbCrSubSampling, 2, 2)] : []),
    ];
    // The first tile looks like the placeholder of missing tiles, the second is missing.
    const like = handmade([new Uint8Array(1)], { fields });
    function* makeEmpty() {
      const file = yield* readTiff(like.length);
      const [level] = (yield* readPages(file))[0];
      return yield* emptyTile(file, level);
    }
    const empty = await complete(makeEmpty(), memoryReader(like), signal);
    const bytes = handmade([empty, new Uint8Array(0)], {
      fields,
      size: { width: 32, height: 16 },
    });
    const { read } = await open(bytes);
    const { image } = await read(all, all);
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([32, 16, 3]);
    expect(data.every((sample) => sample === 0)).toBe(true);
  });
});

describe("a TIFF is rejected", () => {
  const all = { x: 0, y: 0, ...page };

  test("when it ends before its pixels", async () => {
    const bytes = await picture().tiff({ compression: "none" }).toBuffer();
    const { info } = await open(bytes);
    const reader = memoryReader(bytes.subarray(0, bytes.length - 1_000));
    const short = { ...reader, size: bytes.length };
    const window = { page: 0, region: all, atLeast: page };
    await expect(
      createTiffDecoder(settings)
        .read(short, info, window, plan, signal)
        .then(({ image }) => image.raw().toBuffer()),
    ).rejects.toThrow(/Truncated TIFF/);
  });

  test("when a tile exceeds processor.max_decoded_bytes", async () => {
    const bytes = await sharp({
      create: { width: 2_000, height: 1_000, channels: 3, background: "#123456" },
    })
      .tiff({
        compression: "deflate",
        tile: true,
        tileWidth: 2_000 - (2_000 % 16),
        tileHeight: 992,
      })
      .toBuffer();
    const decoder = createTiffDecoder(
      new Config({ "processor.max_decoded_bytes": 1_048_576 }).view(decodingKeys),
    );
    const reader = memoryReader(bytes);
    const info = await decoder.info(reader, signal);
    const window = {
      page: 0,
      region: { x: 0, y: 0, width: 9, height: 9 },
      atLeast: { width: 9, height: 9 },
    };
    await expect(decoder.read(reader, info, window, plan, signal)).rejects.toThrow(
      /pieces of at most/,
    );
  });

  test("with the name of its unsupported compression", async () => {
    const bytes = handmade([new Uint8Array(9)], {
      fields: [
        field(tags.bitsPerSample, 8),
        field(tags.compression, 6),
        field(tags.photometric, 1),
      ],
    });
    await expect(open(bytes)).rejects.toThrow(/old-style JPEG/);
  });
});
