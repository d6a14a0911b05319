import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { plan as anyPlan } from "../../test/plans.ts";
import { memoryReader } from "../../test/readers.ts";
import { answerBy } from "../../test/ways.ts";
import { Config } from "../config/store.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";
import { partOf } from "./direct.ts";
import { render } from "./render.ts";

const signal = new AbortController().signal;

const page: Page = {
  size: { width: 1001, height: 777 },
  orientation: 1,
  levels: [
    { size: { width: 1001, height: 777 }, tile: { width: 64, height: 64 } },
    { size: { width: 500, height: 388 }, tile: { width: 64, height: 64 } },
    { size: { width: 250, height: 194 }, tile: { width: 64, height: 64 } },
  ],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};
const infoOf = (changes: Partial<Page> = {}): ImageInfo => ({
  format: "tif",
  pages: [{ ...page, ...changes }],
});

/** A plan for 64 x 64 pixels of the page reduced by a factor. */
const tile = (factor: number, x: number, y: number, changes: Partial<Plan> = {}): Plan => ({
  ...anyPlan,
  stored: true,
  crop: { x: x * factor, y: y * factor, width: 64 * factor, height: 64 * factor },
  size: { width: 64, height: 64 },
  ...changes,
});

describe("the unmodified part of a level for a plan", () => {
  test("is the tile's region in the level of its factor", () => {
    expect(partOf(tile(2, 128, 64), infoOf())).toEqual({
      page: 0,
      level: 1,
      region: { x: 128, y: 64, width: 64, height: 64 },
      profiled: false,
    });
    expect(partOf(tile(4, 64, 0), infoOf())?.level).toBe(2);
  });

  test("does not exist at factors without a level, off the grid, or enlarged", () => {
    expect(partOf(tile(8, 0, 0), infoOf())).toBeUndefined();
    expect(partOf(tile(3, 0, 0), infoOf())).toBeUndefined();
    const odd = { crop: { x: 1, y: 0, width: 128, height: 128 } };
    expect(partOf(tile(2, 0, 0, odd), infoOf())).toBeUndefined();
    expect(partOf(tile(1, 0, 0, { size: { width: 128, height: 128 } }), infoOf())).toBeUndefined();
  });

  test("does not exist where a level that rounded down lacks the page's last column", () => {
    const crop = { x: 872, y: 0, width: 129, height: 128 };
    const last = tile(2, 0, 0, { crop, size: { width: 65, height: 64 } });
    expect(partOf(last, infoOf())).toBeUndefined();
    const before = { crop: { ...crop, width: 128 }, size: { width: 64, height: 64 } };
    expect(partOf(tile(2, 0, 0, before), infoOf())?.region.x).toBe(436);
  });

  test.each<[string, Partial<Plan>, Partial<Page>]>([
    ["mirrored", { mirror: true }, {}],
    ["turned", { rotation: 90 }, {}],
    ["grey", { quality: "gray" }, {}],
    ["sharpened", { sharpen: 0.5 }, {}],
    ["stored on its side", {}, { orientation: 6 }],
    ["of 16 bits", {}, { colour: { ...page.colour, bits: 16 } }],
    ["transparent", {}, { colour: { ...page.colour, alpha: true } }],
    ["CMYK", {}, { colour: { ...page.colour, model: "cmyk", profile: "converted" } }],
    ["converted", { colour: "srgb" }, { colour: { ...page.colour, profile: "kept" } }],
  ])("does not exist where the image is %s", (_, plan, changes) => {
    expect(partOf(tile(1, 0, 0, plan), infoOf(changes))).toBeUndefined();
  });

  test("includes a preserved profile", () => {
    const colour = { ...page.colour, profile: "kept" } as const;
    expect(partOf(tile(1, 0, 0), infoOf({ colour }))?.profiled).toBe(true);
  });
});

const pixelsOf = (picture: Uint8Array): Promise<Buffer> => sharp(picture).raw().toBuffer();

describe("a stored response", () => {
  test("has the same pixels as a rendered one, at every level", async () => {
    const { width, height } = page.size;
    const data = Buffer.alloc(width * height * 3);
    for (let at = 0; at < data.length; at++)
      data[at] = ((at % (width * 3)) * 7 + Math.floor(at / width) * 3) & 255;
    const bytes = await sharp(data, { raw: { width, height, channels: 3 } })
      .tiff({ compression: "jpeg", tile: true, tileWidth: 64, tileHeight: 64, pyramid: true })
      .toBuffer();
    const codecs = createCodecs(new Resources(new Config()));
    const [tif, png] = [await codecs("tif"), await codecs("png")];
    const reader = memoryReader(Uint8Array.from(bytes));
    const info = await tif.decoder?.info(reader, signal);
    if (!info) throw new Error("Expected a TIFF.");
    const places = [
      [0, 0],
      [64, 64],
      [128, 0],
      [448, 320],
      [192, 128],
    ] as const;
    const plans = [1, 2, 4, 8]
      .flatMap((factor) => places.map(([x, y]) => tile(factor, x, y)))
      .filter(({ crop }) => crop.x + crop.width <= width && crop.y + crop.height <= height);
    let compared = 0;
    for (const plan of plans) {
      const stored = await answerBy("stored", plan, { reader, info, codec: tif });
      if (stored === undefined) continue;
      const drawn = await render({ ...plan, format: "png" }, reader, info, { tif, png }, signal);
      const [one, other] = await Promise.all([pixelsOf(stored), pixelsOf(drawn)]);
      expect(one.equals(other), JSON.stringify(plan.crop)).toBe(true);
      compared++;
    }
    expect(compared).toBeGreaterThan(8);
  });

  test("does not exist if settings require rendering", async () => {
    const codecs = createCodecs(new Resources(new Config()));
    const reader = memoryReader(new Uint8Array());
    const plan = tile(1, 0, 0, { stored: false });
    const picture = { reader, info: infoOf(), codec: await codecs("tif") };
    expect(await answerBy("stored", plan, picture)).toBeUndefined();
  });
});
