import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { type Drawable, drawn, planFor, wholeFile } from "../../test/drawing.ts";
import { difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { pdfOf } from "../../test/pdf.ts";
import { plan as anyPlan } from "../../test/plans.ts";
import { memoryReader } from "../../test/readers.ts";
import { fromTiles, reducedSize } from "../../test/seams.ts";
import { Config } from "../config/store.ts";
import type { FormatName } from "../core/formats.ts";
import { asUpright, type Rect, type Size } from "../core/geometry.ts";
import { type Plan, planKey } from "../core/plan.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";
import { encoders } from "../formats/write/encode.ts";
import { costOf } from "./cost.ts";
import { redactionsOn } from "./redaction.ts";
import { toolsOf } from "./tools.ts";
import { ways } from "./ways.ts";

const { signal } = new AbortController();
const size: Size = { width: 320, height: 240 };
/** Whole JPEG blocks: compression mixes nothing of them into others. */
const hidden: Rect = { x: 96, y: 64, width: 48, height: 32 };

/** Only what is to be hidden is red, entirely so, or black where stated. */
const picture = (secret: readonly number[] = [255, 0, 0]): Promise<Buffer> => {
  const data = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const isHidden = x >= 96 && x < 144 && y >= 64 && y < 96;
      const open = [0, 100 + ((x >> 4) % 2) * 90 + (y >> 3), 60 + ((y >> 4) % 2) * 120];
      data.set(isHidden ? secret : open, (y * size.width + x) * 3);
    }
  return sharp(data, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
};

/** The same size at 150 pixels per inch, counted from the bottom. */
const page = (secret: string): Buffer =>
  pdfOf([
    {
      box: [0, 0, 153.6, 115.2],
      content: `0 0.6 0.5 rg 0 0 160 120 re f 0 0.9 0.2 rg 10 10 30 90 re f ${secret} rg 46.08 69.12 23.04 15.36 re f`,
    },
  ]);

const jp2 = async (secret?: readonly number[]): Promise<Uint8Array> => {
  const plan: Plan = { ...anyPlan, format: "jp2", encoding: { lossless: true } };
  return (await encoders.jp2?.encode(sharp(await picture(secret)), plan)) ?? Buffer.alloc(0);
};

type Make = (secret?: readonly number[]) => Promise<Uint8Array>;

const files: readonly (readonly [string, FormatName, Make])[] = [
  [
    "a TIFF pyramid",
    "tif",
    async (secret) =>
      sharp(await picture(secret))
        .tiff({ compression: "deflate", tile: true, tileWidth: 64, tileHeight: 64, pyramid: true })
        .toBuffer(),
  ],
  [
    "a JPEG",
    "jpg",
    async (secret) =>
      sharp(await picture(secret))
        .jpeg({ quality: 100, chromaSubsampling: "4:2:0" })
        .toBuffer(),
  ],
  ["a PNG", "png", picture],
  ["a JPEG 2000", "jp2", jp2],
  ["a PDF", "pdf", async (secret) => page(secret ? "0 0 0" : "1 0 0")],
];

const open = async (format: FormatName, file: Uint8Array): Promise<Drawable> => {
  const { decoder } = await createCodecs(new Resources(new Config()))(format);
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(Buffer.from(file));
  return { info: await decoder.info(reader, signal), decoder, reader };
};

/** Green, where an image has neither red nor black. */
const ground: Partial<Plan> = { background: [0, 255, 0] };

const coverOf = (drawable: Drawable, changes: Partial<Plan>): Partial<Plan> => {
  const [page] = drawable.info.pages;
  const upright = asUpright(hidden, page.size, page.orientation ?? 1);
  const redactions = redactionsOn([upright], planFor(drawable, changes), page);
  return redactions.length === 0 ? {} : { cover: { redactions } };
};

const redacted = async (drawable: Drawable, changes: Partial<Plan>): Promise<Pixels> => {
  const all = { ...ground, ...changes };
  return pixelsOf(await drawn(drawable, { ...all, ...coverOf(drawable, all) }));
};

/** The reddest pixel. */
const maxRed = ({ data }: Pixels): number => {
  let max = 0;
  for (let n = 0; n < data.length; n += 3) max = Math.max(max, data[n] ?? 0);
  return max;
};

const isBlack = ({ data }: Pixels, n: number): boolean =>
  Math.max(data[n] ?? 0, data[n + 1] ?? 0, data[n + 2] ?? 0) <= 2;

const blackArea = (pixels: Pixels): number => {
  let count = 0;
  for (let n = 0; n < pixels.data.length; n += 3) if (isBlack(pixels, n)) count++;
  return count;
};

/** The most red that lossy compression and colour conversion produce where there is none. */
const noRed = 6;

const partAt = (factor: number, crop: Rect): Partial<Plan> => ({
  crop,
  size: reducedSize(crop, factor),
});

const all: Rect = { x: 0, y: 0, ...size };
const half: Rect = { x: 112, y: 80, width: 64, height: 64 };
/** Starts where the redaction ends. */
const beside: Rect = { x: 144, y: 60, width: 64, height: 48 };

const turns = [
  { mirror: false, rotation: 0 },
  { mirror: false, rotation: 90 },
  { mirror: false, rotation: 33.3 },
  { mirror: true, rotation: 0 },
  { mirror: true, rotation: 270 },
];

describe.each(files)("%s with a redaction", (_, format, make) => {
  let secret: Drawable;
  let blackened: Drawable;
  /** The most red that compression produces where there is none. */
  let min: number;
  beforeAll(async () => {
    secret = await open(format, await make());
    blackened = await open(format, await make([0, 0, 0]));
    min = maxRed(await pixelsOf(await drawn(blackened, ground)));
  });

  /** Nothing depends on the hidden pixels: black ones make no difference. */
  const expectSame = async (pixels: Pixels, changes: Partial<Plan>): Promise<void> => {
    expect(difference(pixels, await redacted(blackened, changes)).max).toBeLessThanOrEqual(noRed);
  };

  it("shows the content where nothing is redacted", async () => {
    expect(maxRed(await pixelsOf(await drawn(secret, ground)))).toBeGreaterThan(240);
  });

  describe.each(turns)("rotated by %o", (turn) => {
    it.each([1, 2, 3, 4, 8])("contains nothing of it at 1/%i", async (factor) => {
      for (const at of [all, half, beside]) {
        const changes = { ...turn, ...partAt(factor, at) };
        const pixels = await redacted(secret, changes);
        expect(maxRed(pixels), JSON.stringify(at)).toBeLessThanOrEqual(min + noRed);
        await expectSame(pixels, changes);
      }
    });
  });

  it.each(["bicubic", "lanczos3", "box"] as const)(
    "contains nothing of it enlarged, sharpened, linear or grey, by %s",
    async (filter) => {
      const filters = { downscaleFilter: filter, upscaleFilter: filter } as const;
      for (const changes of [
        { ...filters, ...partAt(1, beside), size: { width: 256, height: 192 } },
        { ...filters, ...partAt(1, half), size: { width: 300, height: 300 }, sharpen: 2 },
        { ...filters, ...partAt(2, beside), sharpen: 2 },
        { ...filters, ...partAt(3, all), linear: true },
        { ...filters, ...partAt(2, all), quality: "gray" as const },
      ])
        await expectSame(await redacted(secret, changes), changes);
    },
  );

  it("is black where it is redacted, and hardly beyond", async () => {
    for (const factor of [1, 2, 4]) {
      const black = blackArea(await redacted(secret, partAt(factor, all)));
      const { width, height } = { width: hidden.width / factor, height: hidden.height / factor };
      expect(black).toBeGreaterThanOrEqual(width * height);
      expect(black).toBeLessThanOrEqual((width + 4) * (height + 4));
    }
  });

  it.each([1, 2, 4, 8])("has tiles that join to the whole image at 1/%i", async (factor) => {
    const whole = await redacted(secret, partAt(factor, all));
    const tiles = await fromTiles(size, { factor, tile: 32 }, (wanted) => redacted(secret, wanted));
    expect(maxRed(tiles)).toBeLessThanOrEqual(min + noRed);
    expect(difference(tiles, whole).mean).toBeLessThan(0.5);
  });
});

/** A rectangle of one colour in the upper left of the output. */
const colourAt = async (body: Uint8Array, { x, y }: { x: number; y: number }) => {
  const { data, width } = await pixelsOf(body, { alpha: true });
  return [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)];
};

describe("a redacted area", () => {
  const small: Size = { width: 60, height: 40 };
  const redactions = [{ x: 10, y: 5, width: 12, height: 8 }];
  const inside = { x: 12, y: 7 };
  const outside = { x: 40, y: 30 };
  const white = { r: 255, g: 255, b: 255 };
  const plain = (alpha = 1) =>
    sharp({ create: { ...small, channels: 4, background: { ...white, alpha } } });

  it("is opaque in transparent images", async () => {
    const drawable = wholeFile(await plain(0).png().toBuffer(), small, { colour: { alpha: true } });
    const body = await drawn(drawable, { cover: { redactions } });
    expect(await colourAt(body, inside)).toEqual([0, 0, 0, 255]);
    expect((await colourAt(body, outside))[3]).toBe(0);
    const jpeg = await drawn(drawable, { cover: { redactions }, format: "jpg" });
    expect((await colourAt(jpeg, outside)).slice(0, 3)).toEqual([255, 255, 255]);
    expect(Math.max(...(await colourAt(jpeg, inside)).slice(0, 3))).toBeLessThan(10);
  });

  it.each<[string, Promise<Buffer>, Parameters<typeof wholeFile>[2]]>([
    [
      "16 bits",
      plain().removeAlpha().toColourspace("rgb16").png().toBuffer(),
      { colour: { bits: 16 } },
    ],
    [
      "grey",
      plain().removeAlpha().toColourspace("b-w").png().toBuffer(),
      { colour: { model: "grey" } },
    ],
    [
      "grey and alpha",
      plain(0.5).toColourspace("b-w").png().toBuffer(),
      { colour: { model: "grey", alpha: true } },
    ],
    [
      "CMYK",
      plain().removeAlpha().toColourspace("cmyk").jpeg({ quality: 100 }).toBuffer(),
      { colour: { model: "cmyk" } },
    ],
    [
      "a profile of its own",
      plain().removeAlpha().withIccProfile("p3").png().toBuffer(),
      { colour: { profile: "kept" } },
    ],
  ])("is black in images of %s", async (_, file, facts) => {
    const drawable = wholeFile(await file, small, facts);
    for (const changes of [
      {},
      { deep: true },
      { colour: "srgb" },
      { quality: "bitonal" },
    ] as const) {
      const body = await drawn(drawable, { cover: { redactions }, ...changes });
      expect(await colourAt(body, inside)).toEqual([0, 0, 0, 255]);
      expect((await colourAt(body, outside))[0]).toBeGreaterThan(250);
    }
  });

  it.each([2, 3, 4, 5, 6, 7, 8] as const)(
    "hides the same pixels for every orientation: %i",
    async (orientation) => {
      const file = await picture();
      const page = wholeFile(file, size, { orientation });
      const upright = planFor(page).crop;
      const open = wholeFile(await picture([0, 0, 0]), size, { orientation });
      for (const changes of [{}, { rotation: 90, mirror: true }, partAt(2, upright)]) {
        const pixels = await redacted(page, changes);
        expect(maxRed(pixels)).toBe(0);
        expect(blackArea(pixels)).toBeGreaterThan(0);
        const expected = await pixelsOf(await drawn(open, { ...ground, ...changes }));
        expect(difference(pixels, expected).mean).toBeLessThan(2);
      }
    },
  );
});

describe("a large JPEG that is decoded at a reduced size", () => {
  const large: Size = { width: 1_607, height: 1_205 };
  const far: Rect = { x: 1_441, y: 1_077, width: 101, height: 67 };
  const jpeg = (secret: string) =>
    sharp({ create: { ...large, channels: 3, background: { r: 0, g: 170, b: 60 } } })
      .composite([
        { input: { create: { ...far, channels: 3, background: secret } }, left: far.x, top: far.y },
      ])
      .jpeg({ quality: 85, chromaSubsampling: "4:2:0" })
      .toBuffer();

  it.each([6, 8, 9, 10, 16, 18, 24])(
    "contains nothing of what is redacted at 1/%i",
    async (factor) => {
      const [secret, black] = await Promise.all(
        ["#ff0000", "#000000"].map(async (colour) => open("jpg", await jpeg(colour))),
      );
      if (secret === undefined || black === undefined) throw new Error("Expected two pictures");
      for (const changes of [
        { size: reducedSize(large, factor) },
        { size: { width: 1_607 / factor, height: 1_205 / factor + 3 } },
        { size: reducedSize(large, factor), sharpen: 2, downscaleFilter: "lanczos3" as const },
      ]) {
        const size = {
          width: Math.floor(changes.size.width),
          height: Math.floor(changes.size.height),
        };
        const all = { ...ground, ...changes, size, cover: { redactions: [far] } };
        const pixels = await pixelsOf(await drawn(secret, all));
        expect(difference(pixels, await pixelsOf(await drawn(black, all))).max).toBeLessThanOrEqual(
          4,
        );
        // The centre of the request is black, and hardly more.
        const x = Math.floor(((far.x + 50) * size.width) / large.width);
        const y = Math.floor(((far.y + 33) * size.height) / large.height);
        expect(isBlack(pixels, (y * size.width + x) * 3)).toBe(true);
        const max = (far.width / factor + 12) * (far.height / factor + 12);
        expect(blackArea(pixels)).toBeLessThan(max);
      }
    },
  );

  it("takes less memory than its pixels", async () => {
    const { info } = await open("jpg", await jpeg("#ff0000"));
    const drawable = { ...(await open("jpg", await jpeg("#ff0000"))), info };
    const cost = (changes: Partial<Plan>) =>
      costOf(planFor(drawable, { ...changes, cover: { redactions: [far] } }), info, {
        maxStreamed: 1e9,
      });
    const pixels = large.width * large.height * 3;
    expect(cost({}).bytes).toBeGreaterThan(pixels * 2);
    expect(cost({ size: reducedSize(large, 40) }).bytes).toBeLessThan(pixels + 2 ** 20);
  });
});

describe("redactions of a plan", () => {
  const page = wholeFile(Buffer.alloc(0), { width: 1000, height: 800 });
  const tile = planFor(page, { crop: { x: 256, y: 256, width: 256, height: 256 } });
  const on = (rects: readonly Rect[], changes: Partial<Plan> = {}): readonly Rect[] =>
    redactionsOn(rects, { ...tile, ...changes }, page.info.pages[0]);
  const at = (x: number, y: number, width = 10, height = 10): Rect => ({ x, y, width, height });

  it("are those that touch the region, or the surroundings that filters read", () => {
    const near = [at(300, 300), at(246, 300), at(235, 300), at(520, 520)];
    expect(new Set(on([...near, at(0, 0), at(600, 300), at(300, 800)]))).toEqual(new Set(near));
    // Pixels of a reduced image depend on more of the page.
    expect(on([at(600, 300)], { size: { width: 16, height: 16 } })).toHaveLength(1);
  });

  it("end at the page's edge, and are unique and in a fixed order", () => {
    const corner = { crop: at(700, 500, 300, 300) };
    expect(on([at(990, 700, 5_000, 9_000)], corner)).toEqual([at(990, 700, 10, 100)]);
    const three = [at(300, 300), at(310, 300), at(300, 310)];
    expect(on([...three, ...three])).toEqual(on([...three].reverse()));
    expect(on([...three, ...three])).toHaveLength(3);
  });

  it("exclude the ways without libvips, change the key, and cost memory", async () => {
    const file = wholeFile(await picture(), size);
    const bare = planFor(file, { stored: true, direct: true, whole: true });
    const plan: Plan = { ...bare, cover: { redactions: [hidden] } };
    const { info, decoder } = file;
    const open = (of: Plan) =>
      ways
        .filter(
          (way) => way.whyNot(of, toolsOf(of, { info, file: { size: 1 }, decoder })) === undefined,
        )
        .map(({ name }) => name);
    expect([open(bare), open(plan)]).toEqual([["stored", "drawn"], ["drawn"]]);
    const elsewhere: Plan = { ...bare, cover: { redactions: [{ ...hidden, x: 97 }] } };
    expect(new Set([bare, plan, elsewhere].map(planKey)).size).toBe(3);
    const cost = (of: Plan) => costOf(of, info, { maxStreamed: 1e9 }).bytes;
    expect(cost(plan) - cost(bare)).toBe(size.width * size.height * 3 * 2);
  });
});
