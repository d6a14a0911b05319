import { describe, expect, it } from "vitest";
import { plan as anyPlan } from "../../test/plans.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { encodingOfTile } from "./tile-response.ts";

const size = { width: 3_000, height: 2_000 };

const page: Page = {
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};

const tiles: Parameters<typeof encodingOfTile>[2] = {
  compression: "jpeg",
  quality: 88,
  tile: 512,
  reducedQualities: [92, 94],
  minSide: 100,
};

/** A plan for a region, in full-size pixels, at a scale factor. */
const planFor = (
  [x, y, width, height]: readonly [number, number, number, number],
  factor: number,
  others: Partial<Plan> = {},
): Plan => ({
  ...anyPlan,
  stored: true,
  crop: { x, y, width, height },
  size: { width: Math.ceil(width / factor), height: Math.ceil(height / factor) },
  ...others,
});

const encodingOf = (...wanted: Parameters<typeof planFor>) =>
  encodingOfTile(planFor(...wanted), page, tiles);

const standard = { table: 0, progressive: false, optimise: false };

describe("a tile of a pyramid is encoded as its level", () => {
  it("at full size and reduced", () => {
    expect(encodingOf([512, 1_024, 512, 512], 1)).toEqual({
      ...standard,
      ...{ quality: 88, subsampling: "4:2:0", encoder: "libvips" },
    });
    expect(encodingOf([1_024, 0, 1_024, 1_024], 2)).toEqual({
      ...standard,
      quality: 92,
      subsampling: "4:4:4",
    });
    expect(encodingOf([0, 0, 2_048, 2_000], 4)).toMatchObject({ quality: 94 });
    expect(encodingOf([0, 0, 3_000, 2_000], 8)).toMatchObject({ quality: 94 });
    expect(encodingOf([0, 0, 3_000, 2_000], 16)).toMatchObject({ quality: 94 });
  });

  it("at the right and bottom edges, where it is smaller", () => {
    expect(encodingOf([2_560, 1_536, 440, 464], 1)).toMatchObject({ quality: 88 });
    expect(encodingOf([2_048, 1_024, 952, 976], 2)).toMatchObject({ quality: 92 });
  });

  it("if the page's colours are converted", () => {
    const cmyk: Page = { ...page, colour: { ...page.colour, model: "cmyk" } };
    const plan = planFor([0, 0, 512, 512], 1);
    expect(encodingOfTile(plan, cmyk, tiles)).toMatchObject({ quality: 88 });
  });

  it("if the page is stored rotated", () => {
    const turned: Page = {
      ...page,
      size: { width: size.height, height: size.width },
      orientation: 6,
    };
    const plan = planFor([2_560, 1_536, 440, 464], 1, { orientation: 6 });
    expect(encodingOfTile(plan, turned, tiles)).toMatchObject({ quality: 88 });
  });
});

describe("all else is encoded as configured:", () => {
  it.each<[string, Parameters<typeof planFor>]>([
    ["a region between tiles", [[256, 0, 512, 512], 1]],
    ["a part of a tile", [[512, 512, 256, 256], 1]],
    ["several tiles", [[0, 0, 1_024, 1_024], 1]],
    ["a factor that is no level", [[0, 0, 1_536, 1_536], 3]],
    ["a factor beyond the smallest level", [[0, 0, 3_000, 2_000], 32]],
    ["another format", [[0, 0, 512, 512], 1, { format: "png" }]],
    ["a rotated tile", [[0, 0, 512, 512], 1, { rotation: 90 }]],
    ["a grey tile", [[0, 0, 512, 512], 1, { quality: "gray" }]],
    ["a sharpened tile", [[0, 0, 512, 512], 1, { sharpen: 1 }]],
    ["a tile of which stored ones are not sent", [[0, 0, 512, 512], 1, { stored: false }]],
  ])("%s", (_, wanted) => {
    expect(encodingOf(...wanted)).toBeUndefined();
  });

  it("tiles of lossless pyramids", () => {
    const plan = planFor([0, 0, 512, 512], 1);
    expect(encodingOfTile(plan, page, { ...tiles, compression: "deflate" })).toBeUndefined();
    expect(encodingOfTile(plan, page, { ...tiles, compression: "webp" })).toBeUndefined();
  });
});
