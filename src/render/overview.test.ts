import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { type Drawable, planFor, pyramid, testPicture, wholeFile } from "../../test/drawing.ts";
import { memoryReader } from "../../test/readers.ts";
import { Config } from "../config/store.ts";
import { upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { jpeg } from "../formats/jpeg/format.ts";
import { createVipsDecoder } from "../formats/libvips/decoder.ts";
import { Resources } from "../formats/pool/index.ts";
import type { Encoder, PlainPixels } from "../formats/shared/index.ts";
import { decodingKeys } from "../formats/shared/keys.ts";
import { encoders } from "../formats/write/encode.ts";
import { Execution } from "./execution.ts";
import type { Overview } from "./overview.ts";
import { toolsOf } from "./tools.ts";

const size = { width: 1_501, height: 1_003 };
const reader = memoryReader(new Uint8Array(1));
const { signal } = new AbortController();

const executionOf = (drawable: Drawable, plan: Plan): Execution => {
  const { info, decoder } = drawable;
  const encoder = encoders[plan.format as "png" | "jpg"];
  return new Execution(plan, toolsOf(plan, { info, decoder, encoder, file: reader }));
};

/** Plans for all tiles at a scale factor. */
const tilesOf = (
  drawable: Drawable,
  factor: number,
  changes: Partial<Plan> = {},
  page = size,
): Plan[] => {
  const tile = 256 * factor;
  const plans: Plan[] = [];
  for (let y = 0; y < page.height; y += tile)
    for (let x = 0; x < page.width; x += tile) {
      const crop = {
        ...{ x, y },
        width: Math.min(tile, page.width - x),
        height: Math.min(tile, page.height - y),
      };
      const scaled = {
        width: Math.ceil(crop.width / factor),
        height: Math.ceil(crop.height / factor),
      };
      plans.push(planFor(drawable, { crop, size: scaled, ...changes }));
    }
  return plans;
};

describe("tiles cut from an overview", () => {
  const cases: readonly (readonly [string, Partial<Plan>])[] = [
    ["as they are", {}],
    ["as JPEG", { format: "jpg", encoding: { quality: 80 } }],
    ["mirrored", { mirror: true }],
    ["rotated by 90 degrees", { rotation: 90 }],
    ["mirrored and rotated by 90 degrees", { mirror: true, rotation: 90 }],
    ["mirrored and rotated by 180 degrees", { mirror: true, rotation: 180 }],
    ["mirrored, rotated by 270 degrees and sharpened", { mirror: true, rotation: 270, sharpen: 1 }],
    ["mirrored and rotated by 17 degrees", { mirror: true, rotation: 17 }],
    ["rotated by 17 degrees", { rotation: 17 }],
    ["sharpened", { sharpen: 0.6 }],
    ["in grey", { quality: "gray" }],
    ["as bitonal images", { quality: "bitonal" }],
    ["in sRGB", { colour: "srgb" }],
  ];

  it.each(cases)("are those of the image itself, %s", async (_, changes) => {
    const drawable = wholeFile(await testPicture(size), size);
    for (const factor of [2, 3, 4]) {
      const plans = tilesOf(drawable, factor, changes);
      const job = executionOf(drawable, plans[0] as Plan).overview;
      const overview = await job?.make(reader, signal);
      expect(overview?.size).toEqual({
        width: Math.ceil(size.width / factor),
        height: Math.ceil(size.height / factor),
      });
      for (const plan of plans) {
        const execution = executionOf(drawable, plan);
        expect(execution.overview?.key).toBe(job?.key);
        const cut = await execution.finish(reader, signal, overview);
        const own = await executionOf(drawable, plan).finish(reader, signal);
        expect(Buffer.compare(cut, own)).toBe(0);
      }
    }
  });

  const orientations: readonly Page["orientation"][] = [2, 3, 4, 5, 6, 7, 8];

  it.each(orientations)("are those of an image with orientation %i", async (orientation) => {
    const drawable = wholeFile(await testPicture(size), size, { orientation });
    const page = upright(size, orientation);
    for (const changes of [{}, { mirror: true, rotation: 90 }])
      for (const plan of tilesOf(drawable, 2, changes, page)) {
        const overview = await executionOf(drawable, plan).overview?.make(reader, signal);
        expect(overview).toBeDefined();
        const cut = await executionOf(drawable, plan).finish(reader, signal, overview);
        const own = await executionOf(drawable, plan).finish(reader, signal);
        expect(Buffer.compare(cut, own)).toBe(0);
      }
  });

  const files: readonly (readonly [string, "jpg" | "png", (image: Sharp) => Sharp])[] = [
    ["a JPEG", "jpg", (image) => image.withMetadata({ density: 300 }).jpeg({ quality: 90 })],
    ["a JPEG with a profile", "jpg", (image) => image.withIccProfile("p3").jpeg()],
    ["a grey JPEG", "jpg", (image) => image.greyscale().jpeg()],
    ["a PNG with transparency", "png", (image) => image.ensureAlpha(0.4).png()],
    ["a PNG of 16 bits", "png", (image) => image.toColourspace("rgb16").png()],
  ];

  it.each(files)("are those of the image itself, from %s", async (_, format, written) => {
    const bytes = await written(sharp(await testPicture(size))).toBuffer();
    const decoder = createVipsDecoder(format, new Config().view(decodingKeys));
    const file = memoryReader(bytes);
    const drawable = { decoder, info: await decoder.info(file, signal), reader: file };
    for (const changes of [{}, { format: "jpg" }, { deep: true }] satisfies Partial<Plan>[]) {
      const plans = tilesOf(drawable, 2, changes);
      const made = await executionOf(drawable, plans[0] as Plan).overview?.make(file, signal);
      expect(made).toBeDefined();
      // As another worker gets it.
      const overview = structuredClone(made);
      for (const plan of plans) {
        const cut = await executionOf(drawable, plan).finish(file, signal, overview);
        const own = await executionOf(drawable, plan).finish(file, signal);
        expect(Buffer.compare(cut, own)).toBe(0);
      }
    }
  });

  it("are the same from an overview that is not complete yet", async () => {
    const tall = { width: 1_600, height: 4_500 };
    const bytes = await sharp(await testPicture(tall))
      .jpeg({ quality: 90 })
      .toBuffer();
    const resources = new Resources(new Config(), { processors: 1 });
    try {
      const decoder = await jpeg.createDecoder(resources);
      const file = memoryReader(bytes);
      const drawable = { decoder, info: await decoder.info(file, signal), reader: file };
      for (const changes of [{}, { format: "jpg" }, { rotation: 90 }] satisfies Partial<Plan>[]) {
        const plans = tilesOf(drawable, 4, changes, tall);
        const job = executionOf(drawable, plans[0] as Plan).overview;
        const states: { rows: number; overview: Overview }[] = [];
        const whole = await job?.make(file, signal, (overview, { rows, bytes: final }) => {
          const pixels = overview.pixels.map((value, at) => (at < final ? value : 0));
          states.push({ rows, overview: { ...overview, pixels } });
        });
        expect(states.map(({ rows }) => rows)).toEqual([256, 512, 768, 1_024]);
        let early = 0;
        for (const plan of plans) {
          const own = await executionOf(drawable, plan).finish(file, signal, whole);
          const enough = states.filter(({ rows, overview }) => {
            const needed = executionOf(drawable, plan).overview?.rowsIn(overview);
            return needed !== undefined && needed <= rows;
          });
          early += enough.length;
          for (const { overview } of enough) {
            const cut = await executionOf(drawable, plan).finish(file, signal, overview);
            expect(Buffer.compare(cut, own)).toBe(0);
          }
        }
        // Two tiles in a row: those of the first row from four states, of the fourth from one.
        expect(early).toBe(2 * (4 + 3 + 2 + 1));
      }
    } finally {
      await resources.close();
    }
  });

  it("are encoded directly where they need nothing else", async () => {
    const drawable = wholeFile(await testPicture(size), size, { colour: { alpha: false } });
    const { info, decoder } = drawable;
    const encoded: PlainPixels[] = [];
    const encoder: Encoder = {
      ...encoders.jpg,
      async encodePixels(pixels) {
        encoded.push(pixels);
        return Uint8Array.of(encoded.length);
      },
    };
    const finish = async (plan: Plan): Promise<Uint8Array> => {
      const execution = new Execution(
        plan,
        toolsOf(plan, { info, decoder, encoder, file: reader }),
      );
      const overview = await execution.overview?.make(reader, signal);
      expect(overview).toBeDefined();
      return execution.finish(reader, signal, overview);
    };
    const changes = { format: "jpg", encoding: { quality: 80 }, direct: true } as const;
    for (const plan of tilesOf(drawable, 4, changes)) {
      expect(await finish(plan)).toEqual(Uint8Array.of(encoded.length));
      const tools = toolsOf(plan, { info, decoder, encoder, file: reader });
      const own = await new Execution(plan, tools).finish(reader, signal);
      expect(own).toEqual(Uint8Array.of(encoded.length));
      expect(encoded.at(-1)).toEqual(encoded.at(-2));
      const png = await executionOf(drawable, { ...plan, format: "png", encoding: {} }).finish(
        reader,
        signal,
      );
      const { data, info: found } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
      const pixels = encoded.at(-1);
      expect(pixels?.size).toEqual({ width: found.width, height: found.height });
      expect(Buffer.compare(Buffer.from(pixels?.bytes ?? []), data)).toBe(0);
    }
    const count = encoded.length;
    const others: readonly Partial<Plan>[] = [
      ...[
        { mirror: true },
        { rotation: 90 },
        { sharpen: 1 },
        { quality: "gray" },
        { direct: false },
      ],
    ] as Partial<Plan>[];
    for (const other of others) {
      const [plan] = tilesOf(drawable, 4, { ...changes, ...other }) as [Plan];
      expect([...(await finish(plan)).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    }
    expect(encoded).toHaveLength(count);
  });

  it("share one for the same scale factor and colours only", async () => {
    const drawable = wholeFile(await testPicture(size), size);
    const keyOf = (factor: number, changes: Partial<Plan> = {}) =>
      executionOf(drawable, tilesOf(drawable, factor, changes)[1] as Plan).overview?.key;
    const keys = [
      keyOf(2),
      keyOf(4),
      keyOf(2, { format: "jpg" }),
      keyOf(2, { format: "jpg", background: [0, 0, 0] }),
      keyOf(2, { downscaleFilter: "lanczos3" }),
    ];
    expect(keys.every((key) => key !== undefined)).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keyOf(2, { quality: "gray" })).toBe(keyOf(2));
  });
});

describe("an overview", () => {
  const overviewOf = (drawable: Drawable, plan: Plan) => executionOf(drawable, plan).overview;

  it("takes as many bytes as its pixels", async () => {
    const drawable = wholeFile(await testPicture(size), size);
    const [plan] = tilesOf(drawable, 4) as [Plan];
    expect(overviewOf(drawable, plan)?.bytes).toBe(376 * 251 * 3);
    const deep = wholeFile(await testPicture(size), size, { colour: { bits: 16, alpha: true } });
    expect(overviewOf(deep, { ...plan, deep: true })?.bytes).toBe(376 * 251 * 8);
  });

  it("is not made of pages in tiles, for all of a page, nor for regions that are no tiles", async () => {
    const file = await testPicture(size);
    const whole = wholeFile(file, size);
    const tiled = await pyramid(file, size, { levels: 2, rounds: "up", tile: 256 });
    const [tile] = tilesOf(whole, 4) as [Plan];
    expect(overviewOf(whole, tile)).toBeDefined();
    expect(overviewOf(tiled, tile)).toBeUndefined();
    expect(
      overviewOf(whole, planFor(whole, { size: { width: 376, height: 251 } })),
    ).toBeUndefined();
    const crop = { x: 3, y: 5, width: 700, height: 500 };
    expect(overviewOf(whole, { ...tile, crop })).toBeUndefined();
    const full = { x: 0, y: 0, width: 256, height: 256 };
    expect(overviewOf(whole, { ...tile, crop: full, size: full })).toBeUndefined();
  });

  it("is not made where areas are redacted, or images are reduced in linear light", async () => {
    const whole = wholeFile(await testPicture(size), size);
    const [tile] = tilesOf(whole, 4) as [Plan];
    const redactions = [{ x: 1, y: 1, width: 5, height: 5 }];
    expect(overviewOf(whole, { ...tile, cover: { redactions } })).toBeUndefined();
    expect(overviewOf(whole, { ...tile, linear: true })).toBeUndefined();
  });
});

describe("a plain tile", () => {
  it.each([
    { how: "that the direct encoder refuses", encoding: { quality: 80 }, refusals: 1 },
    { how: "of progressive JPEGs", encoding: { quality: 80, progressive: true }, refusals: 0 },
  ])("$how is encoded by libvips", async ({ encoding, refusals }) => {
    const drawable = wholeFile(await testPicture(size), size, { colour: { alpha: false } });
    const { info, decoder } = drawable;
    let refused = 0;
    const encoder: Encoder = {
      ...encoders.jpg,
      async encodePixels() {
        refused++;
        return undefined;
      },
    };
    const changes = { format: "jpg", direct: true, encoding } as const;
    const [plan] = tilesOf(drawable, 2, changes) as [Plan];
    const tools = toolsOf(plan, { info, decoder, encoder, file: reader });
    const tile = await new Execution(plan, tools).finish(reader, signal);
    expect(refused).toBe(refusals);
    const own = executionOf(drawable, { ...plan, direct: false });
    expect(Buffer.compare(tile, await own.finish(reader, signal))).toBe(0);
  });
});
