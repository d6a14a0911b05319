import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { amount } from "../../../test/amount.ts";
import {
  box,
  channelDefinitions,
  jp2Of,
  mappings,
  namedColour,
  palette,
  profiledColour,
  sizeBox,
} from "../../../test/jp2.ts";
import { drawing, jpeg2000File, storedTile } from "../../../test/jpeg2000-files.ts";
import { difference, type Pixels, partOf } from "../../../test/likeness.ts";
import { plan } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import type { Rect } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import type { Raster, Window } from "../shared/codec.ts";

const signal = new AbortController().signal;

const opened = async (bytes: Uint8Array, limits: Readonly<Record<string, unknown>> = {}) => {
  const { decoder } = await createCodecs(new Resources(new Config(limits)))("jp2");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const read = (window: Window) => decoder.read(reader, info, window, plan, signal);
  return { info, read };
};

/** A window at a level of the page. */
const windowOf = ({ pages: [page] }: ImageInfo, level: number, region: Rect): Window => {
  const { size } = page.levels[level] ?? page;
  return {
    page: 0,
    region,
    atLeast: {
      width: (region.width * size.width) / page.size.width,
      height: (region.height * size.height) / page.size.height,
    },
  };
};

const numbersOf = async ({ image }: Raster): Promise<Pixels> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
};

const wholeOf = async (bytes: Uint8Array): Promise<Pixels> => {
  const { info, read } = await opened(bytes);
  return numbersOf(await read(windowOf(info, 0, { x: 0, y: 0, ...info.pages[0].size })));
};

const files = ["tiles.jp2", "precincts.jp2", "blocks.j2c"];

describe("JPEG 2000 files", () => {
  it.each([
    ["tiles.jp2", 0],
    ["precincts.jp2", 6],
    ["blocks.j2c", 0],
  ])("%s: the whole image equals the drawing", async (name, max) => {
    const whole = await wholeOf(await jpeg2000File(name));
    expect(difference(whole, drawing()).max).toBeLessThanOrEqual(max);
  });

  it("report their size, levels, tiles and colour", async () => {
    const { info } = await opened(await jpeg2000File("tiles.jp2"));
    expect(info).toEqual({
      format: "jp2",
      pages: [
        {
          size: { width: 301, height: 219 },
          orientation: 1,
          levels: [
            { size: { width: 301, height: 219 }, tile: { width: 128, height: 96 } },
            { size: { width: 150, height: 109 }, tile: { width: 64, height: 48 } },
            { size: { width: 75, height: 54 }, tile: { width: 32, height: 24 } },
            { size: { width: 38, height: 27 }, tile: { width: 16, height: 12 } },
          ],
          colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
        },
      ],
    });
    const untiled = (await opened(await jpeg2000File("precincts.jp2"))).info.pages[0];
    expect(untiled.levels.map(({ size }) => size.width)).toEqual([301, 151, 76, 38, 19]);
    expect(untiled.levels[0].tile).toEqual({ width: 301, height: 219 });
  });

  it.each([
    ["tiles.jp2", { tiles: 4, compression: "JPEG 2000" }],
    ["blocks.j2c", { tiles: 1, compression: "High-Throughput JPEG 2000" }],
  ])("%s: reports the cost of reading a window", async (name, found) => {
    const bytes = await jpeg2000File(name);
    const { decoder } = await createCodecs(new Resources(new Config({})))("jp2");
    const reader = memoryReader(bytes);
    const info = await decoder?.info(reader, signal);
    if (decoder?.explain === undefined || info === undefined) throw new Error("Expected a decoder");
    const explain = decoder.explain;
    const at = (level: number, region: Rect) =>
      explain(
        reader,
        info,
        { window: windowOf(info, level, region), part: undefined },
        plan,
        signal,
      );
    const { size } = info.pages[0];
    const some = await at(0, { x: 90, y: 70, width: 20, height: 20 });
    expect(some).toMatchObject({ level: 0, ...found });
    const whole = await at(0, { x: 0, y: 0, ...size });
    expect(whole.blocks).toBeGreaterThan(some.blocks ?? Number.NaN);
    expect(whole.bytes).toBeGreaterThan(some.bytes);
    expect(whole.bytes).toBeLessThan(bytes.length);
    const small = await at(2, { x: 0, y: 0, ...size });
    expect(small.level).toBe(2);
    expect(small.bytes).toBeLessThan(whole.bytes / 4);
  });

  it.each(files)("%s: any window equals that part of its level", async (name) => {
    const { info, read } = await opened(await jpeg2000File(name));
    const [page] = info.pages;
    const from = random(name.length);
    for (const [number, level] of page.levels.entries()) {
      const all = await read(windowOf(info, number, { x: 0, y: 0, ...page.size }));
      expect(all.size).toEqual(level.size);
      const whole = await numbersOf(all);
      for (let round = 0; round < 12; round++) {
        const x = from.whole(0, page.size.width - 1);
        const y = from.whole(0, page.size.height - 1);
        const region = {
          x,
          y,
          width: from.whole(1, page.size.width - x),
          height: from.whole(1, page.size.height - y),
        };
        const part = await read(windowOf(info, number, region));
        const factor = page.size.width / level.size.width;
        // For a region of a pixel or two a smaller level may suffice.
        if (part.covers.width / part.size.width > factor * 1.5) continue;
        expect(part.covers.x).toBeLessThanOrEqual(region.x);
        const { x: left, y: top } = part.covers;
        const scale = 2 ** number;
        const place = { x: left / scale, y: top / scale, ...part.size };
        expect(difference(await numbersOf(part), partOf(whole, place)).max).toBe(0);
      }
    }
  });

  it("use the smallest sufficient level", async () => {
    const { info, read } = await opened(await jpeg2000File("blocks.j2c"));
    const region = { x: 0, y: 0, width: 301, height: 219 };
    const widths = [];
    for (const width of [301, 152, 151, 100, 70, 5])
      widths.push((await read({ page: 0, region, atLeast: { width, height: 1 } })).size.width);
    expect(widths).toEqual([301, 301, 151, 151, 76, 19]);
    expect(info.pages[0].levels).toHaveLength(5);
  });
});

describe("the channels of a JP2", () => {
  const tile = (name: string) => storedTile(name);
  const wrapped = async (name: string, ...header: readonly Uint8Array[]) =>
    jp2Of(box("jp2h", sizeBox(32, 32), ...header), box("jp2c", await tile(name)));
  const sample = ({ data, width, channels }: Pixels, x: number, y: number) =>
    Array.from(data.subarray((y * width + x) * channels, (y * width + x + 1) * channels));
  // The samples of test/tiles/make.py.
  const red = (x: number, y: number) => (x * 7 + y * 3) & 255;
  const green = (x: number, y: number) => (x * y) & 255;
  const blue = (x: number, y: number) => ((x ^ y) * 8) & 255;
  const places = [
    [0, 0],
    [5, 9],
    [31, 30],
  ] as const;

  it("equal those of a bare codestream, by their number", async () => {
    const rgb = await wholeOf(await tile("rgb8.j2k"));
    const grey = await opened(await tile("grey8.j2k"));
    for (const [x, y] of places)
      expect(sample(rgb, x, y)).toEqual([red(x, y), green(x, y), blue(x, y)]);
    expect(grey.info.pages[0].colour.model).toBe("grey");
  });

  it("may be reordered", async () => {
    const file = await wrapped(
      "rgb8.j2k",
      namedColour(16),
      channelDefinitions([0, 0, 3], [1, 0, 2], [2, 0, 1]),
    );
    const bgr = await wholeOf(file);
    for (const [x, y] of places)
      expect(sample(bgr, x, y)).toEqual([blue(x, y), green(x, y), red(x, y)]);
  });

  it("may be grey and alpha", async () => {
    const file = await wrapped(
      "rgb8.j2k",
      namedColour(17),
      channelDefinitions([0, 1, 0], [1, 0, 1], [2, 65_535, 65_535]),
    );
    const { info, read } = await opened(file);
    expect(info.pages[0].colour).toMatchObject({ model: "grey", alpha: true });
    const whole = await numbersOf(
      await read(windowOf(info, 0, { x: 0, y: 0, width: 32, height: 32 })),
    );
    for (const [x, y] of places) {
      const values = sample(whole, x, y);
      expect([values[0], values.at(-1)]).toEqual([green(x, y), red(x, y)]);
    }
  });

  it("may be palette columns", async () => {
    const columns = [0, 1, 2].map((column) =>
      Array.from({ length: 256 }, (_, entry) => (entry + column * 40) & 255),
    );
    const file = await wrapped(
      "grey8.j2k",
      namedColour(16),
      palette(...columns),
      mappings([0, 1, 2], [0, 1, 1], [0, 1, 0]),
    );
    const rgb = await wholeOf(file);
    for (const [x, y] of places)
      expect(sample(rgb, x, y)).toEqual([80, 40, 0].map((add) => (red(x, y) + add) & 255));
  });

  it("keep 16 bits", async () => {
    const { info, read } = await opened(await tile("deep16.j2k"));
    expect(info.pages[0].colour.bits).toBe(16);
    const { image } = await read(windowOf(info, 0, { x: 0, y: 0, width: 32, height: 32 }));
    const raw = await image.toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer();
    for (const [x, y] of places) {
      const low = (x * 31 + y * 17) & 255;
      expect(raw.readUInt16LE((y * 32 + x) * 6)).toBe(red(x, y) * 256 + low);
      expect(raw.readUInt16LE((y * 32 + x) * 6 + 4)).toBe(blue(x, y) * 256 + low);
    }
  });

  it("may be subsampled colour differences, at any column", async () => {
    const file = await wrapped("ycc8-halved.j2k", namedColour(16));
    const { info, read } = await opened(file);
    const whole = await wholeOf(file);
    const [first = 0, second = 0] = sample(whole, 3, 3);
    // Luma 30, and in the previous column much blue and no red: were these colours, red would be
    // 30.
    expect([first, second > first]).toEqual([0, true]);
    for (const [x, width] of [
      [0, 7],
      [7, 12],
      [19, 13],
    ] as const) {
      const region = { x, y: 1, width, height: 9 };
      const part = await numbersOf(await read(windowOf(info, 0, region)));
      expect(difference(part, partOf(whole, region)).max).toBe(0);
    }
  });

  it("follow the number of components, whatever colour space the file names", async () => {
    const { info } = await opened(await wrapped("rgb8.j2k", namedColour(12)));
    expect(info.pages[0].colour.model).toBe("rgb");
    const profiled = await opened(await wrapped("rgb8.j2k", profiledColour("RGB ")));
    expect(profiled.info.pages[0].colour.profile).toBe("kept");
  });

  it("keep their profile", async () => {
    const p3 = await sharp({ create: { width: 2, height: 2, channels: 3, background: "#000" } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { icc } = await sharp(p3).metadata();
    if (icc === undefined) throw new Error("Expected a profile");
    const colour = box("colr", Uint8Array.of(2, 0, 0), icc);
    const { info, read } = await opened(await wrapped("rgb8.j2k", colour));
    expect(info.pages[0].colour.profile).toBe("kept");
    const window = windowOf(info, 0, { x: 0, y: 0, width: 32, height: 32 });
    const kept = await (await read(window)).image.keepIccProfile().png().toBuffer();
    expect((await sharp(kept).metadata()).icc).toEqual(icc);
    const converted = await numbersOf(await read(window));
    const plain = await wholeOf(await tile("rgb8.j2k"));
    expect(difference(converted, plain).mean).toBeGreaterThan(1);
  });
});

it("the sound part of a damaged file is shown, or the file refused", async () => {
  const { decoder } = await createCodecs(new Resources(new Config()))("jp2");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const sound = await jpeg2000File("precincts.jp2");
  const from = random(50_000);
  let shown = 0;
  const rounds = amount(400);
  for (let round = 0; round < rounds; round++) {
    const file = Uint8Array.from(sound);
    const within = from.one([250, 250, file.length]);
    for (let changes = from.whole(1, 3); changes > 0; changes--)
      file[from.whole(0, within - 1)] = from.whole(0, 255);
    const reader = memoryReader(file);
    try {
      const info = await decoder.info(reader, signal);
      const region = { x: 0, y: 0, width: 40, height: 30 };
      await decoder.read(reader, info, windowOf(info, 0, region), plan, signal);
      shown += 1;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect(error.failure).toBe("unreadable");
    }
  }
  expect(shown).toBeGreaterThan(rounds / 4);
});

describe("limits", () => {
  it("refuse parts that exceed the memory limit, and no others", async () => {
    const { info, read } = await opened(await jpeg2000File("tiles.jp2"), {
      "processor.max_decoded_bytes": 1_048_576,
    });
    const all = { x: 0, y: 0, width: 301, height: 219 };
    await expect(read(windowOf(info, 0, all))).rejects.toThrow(
      "a part of a JPEG 2000 of at most 1048576 bytes",
    );
    expect((await read(windowOf(info, 1, all))).size.width).toBe(150);
    expect((await read(windowOf(info, 0, { ...all, height: 90 }))).size.height).toBe(90);
  });

  it("allow only the first page", async () => {
    const { read } = await opened(await jpeg2000File("tiles.jp2"));
    const region = { x: 0, y: 0, width: 9, height: 9 };
    await expect(read({ page: 1, region, atLeast: region })).rejects.toThrow(
      "Expected a page from 1 to 1, not 2",
    );
  });

  it("abort a read when nobody waits for it", async () => {
    const { decoder } = await createCodecs(new Resources(new Config()))("jp2");
    const reader = memoryReader(await jpeg2000File("tiles.jp2"));
    if (decoder === undefined) throw new Error("Expected a decoder");
    const info = await decoder.info(reader, signal);
    const gone = AbortSignal.abort(new Error("gone"));
    const window = windowOf(info, 0, { x: 0, y: 0, width: 301, height: 219 });
    await expect(decoder.read(reader, info, window, plan, gone)).rejects.toThrow("gone");
  });
});
