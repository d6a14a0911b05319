import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../../test/corpus.ts";
import { plan } from "../../../../test/plans.ts";
import { fileReaderOf, memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { FormatName } from "../../../core/formats.ts";
import type { Rect, Size } from "../../../core/geometry.ts";
import type { ImageInfo } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { complete } from "../../../core/steps.ts";
import { headSegments, isApplication, markers } from "../../containers/jpeg-segments.ts";
import { loadJpegCropper } from "../../jpeg-crop/crop.ts";
import type { Decoder } from "../../shared/codec.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";
import { type AssembledField, assembleTiff } from "../structure/assembly.ts";
import { tags } from "../structure/tags.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const cropper = await loadJpegCropper();
const side = 64;
/** Two whole tiles across and down, and part of a third. */
const size = { width: 150, height: 140 };

const drawn = (channels: 1 | 3, { width, height } = size) => {
  const data = Buffer.alloc(width * height * channels);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [Math.floor(at / channels) % width, Math.floor(at / channels / width)];
    data[at] = (x * 3 + y * 5 + (at % channels) * 90 + ((x * y) % 23) * 3) & 255;
  }
  return sharp(data, { raw: { width, height, channels } });
};

interface Opened {
  readonly decoder: Decoder;
  readonly reader: RangeReader;
  readonly info: ImageInfo;
}

const open = async (reader: RangeReader): Promise<Opened> => {
  const decoder = createTiffDecoder(settings, { cropper });
  return { decoder, reader, info: await decoder.info(reader, signal) };
};

const stored = async (
  { decoder, reader, info }: Opened,
  part: { readonly region: Rect; readonly level?: number; readonly page?: number },
  format: FormatName = "jpg",
  profiled = false,
) => {
  const steps = decoder.stored?.(reader, info, { page: 0, level: 0, profiled, ...part }, format);
  return steps && complete(steps, reader, signal);
};

/** A region of a level as libvips decodes it from the file's tiles. */
const decoded = async (
  { decoder, reader, info }: Opened,
  { region, level = 0, page = 0 }: { region: Rect; level?: number; page?: number },
): Promise<Buffer> => {
  const known = info.pages[page]?.levels[level];
  const full = info.pages[page]?.size;
  if (!known || !full) throw new Error("Expected such a level.");
  const factor = {
    x: 2 ** Math.round(Math.log2(full.width / known.size.width)),
    y: 2 ** Math.round(Math.log2(full.height / known.size.height)),
  };
  const window = {
    page,
    region: {
      x: region.x * factor.x,
      y: region.y * factor.y,
      width: region.width * factor.x,
      height: region.height * factor.y,
    },
    atLeast: region,
  };
  const raster = await decoder.read(reader, info, window, plan, signal);
  expect(raster.covers.x).toBe(window.region.x);
  expect(raster.covers.y).toBe(window.region.y);
  return raster.image
    .extract({ left: 0, top: 0, width: region.width, height: region.height })
    .raw()
    .toBuffer();
};

const tileAt = (column: number, row: number, of = side): Rect => ({
  x: column * of,
  y: row * of,
  width: of,
  height: of,
});

const expectSamePixels = async (opened: Opened, part: Parameters<typeof decoded>[1]) => {
  const bytes = await stored(opened, part);
  if (bytes === undefined) throw new Error("Expected the tile to be stored as it is.");
  const image = sharp(bytes, { failOn: "warning", ignoreIcc: true });
  expect((await image.raw().toBuffer()).equals(await decoded(opened, part))).toBe(true);
};

const field = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint16(index * 2, value, true);
  return { tag, type: 3, count: values.length, bytes };
};

const without = (jpeg: Uint8Array, drop: (marker: number) => boolean): Uint8Array => {
  const segments = headSegments(jpeg) ?? [];
  const scan = segments.at(-1)?.at ?? 0;
  return Buffer.concat([
    jpeg.subarray(0, 2),
    ...segments
      .slice(0, -1)
      .filter(({ marker }) => !drop(marker))
      .map(({ at, end }) => jpeg.subarray(at, end)),
    jpeg.subarray(scan),
  ]);
};

const isTable = (marker: number): boolean =>
  marker === markers.quantisation || marker === markers.huffman;

/** A TIFF of four JPEG tiles, made by hand, of which `shown` are shown. */
const jpegTiff = async (options: {
  readonly shown?: Size;
  readonly photometric: number;
  readonly channels: 1 | 3;
  readonly chromaSubsampling: "4:2:0" | "4:4:4";
  /** Whether the tables are in the directory instead of in each tile. */
  readonly shared: boolean;
  readonly subsampling?: readonly [number, number];
  readonly profile?: Uint8Array;
  readonly keepMarks?: boolean;
}): Promise<Uint8Array> => {
  const { photometric, channels, chromaSubsampling, shared, profile } = options;
  const jpegs = await Promise.all(
    [0, 1, 2, 3].map((index) =>
      drawn(channels, size)
        .extract({ left: (index % 2) * side, top: (index >> 1) * side, width: side, height: side })
        .toColourspace(channels === 1 ? "b-w" : "srgb")
        .jpeg({ quality: 85, chromaSubsampling, optimiseCoding: false })
        .toBuffer(),
    ),
  );
  const [first] = jpegs;
  if (first === undefined) throw new Error("Expected a tile.");
  const tables = (headSegments(first) ?? []).filter(({ marker }) => isTable(marker));
  const tableBytes = Buffer.concat([
    Uint8Array.of(0xff, 0xd8),
    ...tables.map(({ at, end }) => first.subarray(at, end)),
    Uint8Array.of(0xff, 0xd9),
  ]);
  const tiles = jpegs.map((jpeg) =>
    without(
      jpeg,
      (marker) =>
        (isApplication(marker) && options.keepMarks !== true) || (shared && isTable(marker)),
    ),
  );
  const { file, slots } = assembleTiff({
    littleEndian: true,
    ...(options.shown ?? { width: side * 2, height: side * 2 }),
    tile: { width: side, height: side },
    fields: [
      field(tags.bitsPerSample, ...Array.from({ length: channels }, () => 8)),
      field(tags.compression, 7),
      field(tags.photometric, photometric),
      field(tags.samplesPerPixel, channels),
      ...(options.subsampling ? [field(tags.yCbCrSubSampling, ...options.subsampling)] : []),
      ...(shared
        ? [{ tag: tags.jpegTables, type: 7, count: tableBytes.length, bytes: tableBytes }]
        : []),
      ...(profile
        ? [{ tag: tags.iccProfile, type: 7, count: profile.length, bytes: profile }]
        : []),
    ],
    lengths: tiles.map(({ length }) => length),
  });
  for (const [index, tile] of tiles.entries()) slots[index]?.set(tile);
  return file;
};

const kinds = [
  ["YCbCr 4:2:0", { photometric: 6, channels: 3, chromaSubsampling: "4:2:0", subsampling: [2, 2] }],
  ["YCbCr 4:4:4", { photometric: 6, channels: 3, chromaSubsampling: "4:4:4", subsampling: [1, 1] }],
  ["RGB", { photometric: 2, channels: 3, chromaSubsampling: "4:4:4" }],
  ["grey", { photometric: 1, channels: 1, chromaSubsampling: "4:4:4" }],
] as const;

describe("a stored JPEG tile at the edge of a level is cropped", () => {
  const edges: readonly Rect[] = [
    { x: 64, y: 0, width: 37, height: 64 },
    { x: 0, y: 64, width: 64, height: 26 },
    { x: 64, y: 64, width: 37, height: 26 },
  ];

  test.each(kinds)("to the pixels that libvips decodes, %s", async (_, kind) => {
    const shown = { width: 101, height: 90 };
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shown, shared: true })));
    for (const region of edges) {
      const bytes = await stored(opened, { region });
      const image = sharp(bytes, { failOn: "warning" });
      const { width, height } = await image.metadata();
      expect({ width, height }).toEqual({ width: region.width, height: region.height });
      // The last column and row may have other colours: these are interpolated from fewer samples.
      const inner = { width: region.width - 1, height: region.height - 1 };
      const found = await image
        .extract({ left: 0, top: 0, ...inner })
        .raw()
        .toBuffer();
      expect(found.equals(await decoded(opened, { region: { ...region, ...inner } }))).toBe(true);
    }
  });

  test("unless that is impossible: a progressive one is decoded", async () => {
    const tile = await drawn(1, { width: side, height: side })
      .toColourspace("b-w")
      .jpeg({ progressive: true })
      .toBuffer();
    const { file, slots } = assembleTiff({
      ...{ littleEndian: true, width: 50, height: side, tile: { width: side, height: side } },
      fields: [
        field(tags.bitsPerSample, 8),
        field(tags.compression, 7),
        field(tags.photometric, 1),
        field(tags.samplesPerPixel, 1),
      ],
      lengths: [tile.length],
    });
    slots[0]?.set(tile);
    const region = { x: 0, y: 0, width: 50, height: side };
    expect(await stored(await open(memoryReader(file)), { region })).toBeUndefined();
  });
});

describe("a stored JPEG tile has exactly the pixels that libvips decodes", () => {
  test.each(kinds)("%s, with shared tables", async (_, kind) => {
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shared: true })));
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [1, 1],
    ] as const)
      await expectSamePixels(opened, { region: tileAt(x, y) });
  });

  test.each(kinds)("%s, with tables in every tile", async (_, kind) => {
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shared: false })));
    await expectSamePixels(opened, { region: tileAt(1, 1) });
  });

  test("RGB whose tiles are marked as YCbCr, contrary to the directory", async () => {
    const [, , [, rgb]] = kinds;
    const bytes = await jpegTiff({ ...rgb, shared: false, keepMarks: true });
    await expectSamePixels(await open(memoryReader(bytes)), { region: tileAt(0, 1) });
  });

  test.each([false, true])("at the first two levels of a pyramid; BigTIFF: %s", async (bigtiff) => {
    const bytes = await drawn(3, { width: 300, height: 280 })
      .tiff({
        compression: "jpeg",
        quality: 80,
        tile: true,
        tileWidth: 64,
        tileHeight: 64,
        pyramid: true,
        bigtiff,
      })
      .toBuffer();
    const opened = await open(memoryReader(bytes));
    expect(opened.info.pages[0].levels.length).toBeGreaterThan(2);
    for (const level of [0, 1]) await expectSamePixels(opened, { level, region: tileAt(1, 1) });
  });

  test("and carries the profile in as many segments as needed", async () => {
    const [[, kind]] = kinds;
    const profile = new Uint8Array(150_000).map((_, index) => index & 255);
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shared: true, profile })));
    const jpeg = await stored(opened, { region: tileAt(0, 0) }, "jpg", true);
    const segments = (headSegments(jpeg ?? new Uint8Array()) ?? []).filter(
      ({ marker }) => marker === markers.app2,
    );
    expect(segments).toHaveLength(3);
    const carried = Buffer.concat(
      segments.map(({ at, end }) => (jpeg ?? new Uint8Array()).subarray(at + 18, end)),
    );
    expect(carried.equals(profile)).toBe(true);
  });

  test("but is not used when a profile is requested and the file has none", async () => {
    const [[, kind]] = kinds;
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shared: true })));
    expect(await stored(opened, { region: tileAt(0, 0) }, "jpg", true)).toBeUndefined();
  });
});

describe("anything but a whole stored tile is rendered", () => {
  const pyramid = async () =>
    open(
      memoryReader(
        await drawn(3)
          .tiff({ compression: "jpeg", tile: true, tileWidth: side, tileHeight: side })
          .toBuffer(),
      ),
    );

  test.each([
    ["part of a tile at the right edge", { x: 128, y: 0, width: 21, height: 64 }],
    ["part of a tile at the bottom edge", { x: 0, y: 128, width: 64, height: 13 }],
    ["two tiles", { x: 0, y: 0, width: 128, height: 64 }],
    ["part of a tile", { x: 0, y: 0, width: 32, height: 64 }],
    ["a region between tiles", { x: 16, y: 0, width: 64, height: 64 }],
    ["a region as large as a tile, beyond the picture", { x: 128, y: 128, width: 64, height: 64 }],
  ])("%s", async (_, region) => {
    expect(await stored(await pyramid(), { region })).toBeUndefined();
  });

  test("another format", async () => {
    expect(await stored(await pyramid(), { region: tileAt(0, 0) }, "webp")).toBeUndefined();
    expect(await stored(await pyramid(), { region: tileAt(0, 0) }, "png")).toBeUndefined();
  });

  test("a level or page that does not exist", async () => {
    const opened = await pyramid();
    expect(await stored(opened, { level: 7, region: tileAt(0, 0) })).toBeUndefined();
    expect(await stored(opened, { page: 3, region: tileAt(0, 0) })).toBeUndefined();
  });

  test.each([
    ["white is zero", { photometric: 0, channels: 1, chromaSubsampling: "4:4:4" }],
    ["RGB with reduced colour", { photometric: 2, channels: 3, chromaSubsampling: "4:2:0" }],
  ] as const)("%s", async (_, kind) => {
    const opened = await open(memoryReader(await jpegTiff({ ...kind, shared: true })));
    expect(await stored(opened, { region: tileAt(0, 0) })).toBeUndefined();
  });

  test("a truncated tile", async () => {
    const [[, kind]] = kinds;
    const bytes = await jpegTiff({ ...kind, shared: true });
    const end = Buffer.from(bytes).indexOf(Uint8Array.of(0xff, 0xd9), bytes.length - 400);
    bytes.fill(0, end);
    const opened = await open(memoryReader(bytes));
    expect(await stored(opened, { region: tileAt(1, 1) })).toBeUndefined();
  });

  test.each([
    ["of a component that is none", 5],
    ["by tables that cannot be", 6],
    ["of other coefficients", 12],
  ])("a tile whose scan is %s", async (_, place) => {
    const [[, kind]] = kinds;
    const bytes = Buffer.from(await jpegTiff({ ...kind, shared: true }));
    const opened = await open(memoryReader(bytes));
    expect(await stored(opened, { region: tileAt(0, 0) })).toBeDefined();
    for (
      let at = bytes.indexOf("ffda", 0, "hex");
      at >= 0;
      at = bytes.indexOf("ffda", at + 2, "hex")
    )
      bytes[at + place] = 0x77;
    expect(await stored(await open(memoryReader(bytes)), { region: tileAt(0, 0) })).toBeUndefined();
  });
});

/** A whole tile from the middle of every level that has one. */
const middleTiles = (levels: ImageInfo["pages"][0]["levels"]) =>
  levels.flatMap(({ tile, size: whole }, level) => {
    const columns = Math.floor(whole.width / tile.width);
    const rows = Math.floor(whole.height / tile.height);
    if (columns === 0 || rows === 0) return [];
    const x = (columns >> 1) * tile.width;
    const y = (rows >> 1) * tile.height;
    return [{ level, region: { x, y, width: tile.width, height: tile.height } }];
  });

/** Compares the stored tiles of a file with libvips' output; returns how many there were. */
const compareStored = async (path: string, format: "jpg" | "webp"): Promise<number> => {
  const opened = await open(await fileReaderOf(path)).catch(() => undefined);
  if (opened === undefined) return 0;
  const [page] = opened.info.pages;
  // With the profile both are converted alike.
  const profiled = page.colour.profile === "kept";
  let compared = 0;
  for (const part of middleTiles(page.levels)) {
    const bytes = await stored(opened, part, format, profiled);
    if (bytes === undefined) continue;
    const shown = await sharp(bytes, { ignoreIcc: !profiled }).raw().toBuffer();
    const same = shown.equals(await decoded(opened, part));
    expect(same, `${path}, level ${part.level}, ${format}`).toBe(true);
    compared++;
  }
  return compared;
};

describe("intact TIFFs of the corpus", () => {
  const files = corpusFiles("tiff").filter(({ expect: expected }) => expected === "ok");

  test.skipIf(!corpusIsHere).each(["jpg", "webp"] as const)(
    `have stored tiles with the same pixels as libvips: %s${corpusIsHere ? "" : `; ${corpusIsMissing}`}`,
    { timeout: 120_000 },
    async (format) => {
      let compared = 0;
      for (const file of files) compared += await compareStored(corpusPath(file), format);
      expect(compared).toBeGreaterThan(0);
    },
  );
});
