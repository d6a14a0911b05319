import { describe, expect, it } from "vitest";
import { limitsOf, pageOf, pyramid } from "../../test/pages.ts";
import type { Snapshot } from "../config/store.ts";
import { type Constraint, unconstrained } from "../core/identifier.ts";
import type { Page } from "../core/info.ts";
import { offer } from "./offer.ts";
import { listSizes, listTiles } from "./sizes.ts";

interface Scene {
  readonly values?: Snapshot;
  readonly constraint?: Constraint;
}

const sizesOf = (page: Page, { values = {}, constraint = unconstrained }: Scene = {}) =>
  listSizes(offer(page, constraint), limitsOf(values)).map(
    ({ width, height }) => `${width}x${height}`,
  );

const tilesOf = (page: Page, { values = {}, constraint = unconstrained }: Scene = {}) =>
  listTiles(page, offer(page, constraint), limitsOf(values)).map(
    ({ width, height, scaleFactors }) => `${width}x${height} at ${scaleFactors.join(" ")}`,
  );

const tiled = (width: number, height: number, tile: readonly [number, number], levels = 1): Page =>
  pageOf(width, height, {
    levels: pyramid({ width, height }, { width: tile[0], height: tile[1] }, levels),
  });

const half = { numerator: 1, denominator: 2 };

describe("the listed sizes", () => {
  it("are halvings down to the smallest side that is offered", () => {
    const expected = ["94x75", "188x150", "375x300", "750x600", "1500x1200"];
    expect(sizesOf(pageOf(1500, 1200))).toEqual(expected);
    expect(sizesOf(pageOf(1500, 1200), { values: { "endpoint.iiif.min_size": 300 } })).toEqual(
      expected.slice(2),
    );
  });

  it.each([
    [127, 500],
    [63, 20],
    [1, 1],
  ])("of a %ix%i image are the full size only", (width, height) => {
    expect(sizesOf(pageOf(width, height))).toEqual([`${width}x${height}`]);
  });

  it("respect the limits", () => {
    expect(sizesOf(pageOf(6000, 4000)).at(-1)).toBe("3000x2000");
    expect(sizesOf(pageOf(6000, 4000), { values: { max_pixels: 0 } }).at(-1)).toBe("6000x4000");
    expect(sizesOf(pageOf(6000, 4000), { values: { max_scale: 0.3 } }).at(-1)).toBe("1500x1000");
    expect(sizesOf(pageOf(6000, 4000), { values: { max_pixels: 100 } })).toEqual([]);
  });

  it("are those of the constrained and upright page", () => {
    const page = pageOf(1500, 1200, { orientation: 8 });
    expect(sizesOf(page, { constraint: half })).toEqual(["75x94", "150x188", "300x375", "600x750"]);
  });
});

describe("the listed tiles", () => {
  it.each<[string, Page, string]>([
    ["no tiles", pageOf(6000, 4000), "512x512 at 1 2 4 8 16 32"],
    ["small tiles", tiled(6000, 4000, [256, 256]), "256x256 at 1 2 4 8 16 32"],
    ["the smallest tiles", tiled(6000, 4000, [64, 64]), "64x64 at 1 2 4 8 16 32"],
    ["tiles too small to be offered", tiled(6000, 4000, [32, 48]), "256x384 at 1 2 4 8 16 32"],
    ["strips", tiled(6000, 4000, [6000, 16]), "512x512 at 1 2 4 8 16 32"],
    ["a column of tiles", tiled(256, 4000, [256, 256]), "256x256 at 1 2 4"],
    ["large tiles", tiled(6000, 4000, [1024, 1024]), "1024x1024 at 1 2 4 8 16 32"],
    ["odd tiles", tiled(6000, 4000, [100, 256]), "100x256 at 1 2 4 8 16 32"],
    ["a small page", pageOf(300, 200), "300x200 at 1 2"],
    ["a page just larger than a tile", tiled(700, 300, [256, 256]), "256x256 at 1 2 4"],
  ])("of %s are whole stored tiles", (_, page, expected) => {
    expect(tilesOf(page)).toEqual([expected]);
  });

  it.each<[string, Page, string]>([
    ["no tiles", pageOf(6000, 4000), "512x512 at 1 2 4 8 16 32"],
    ["small tiles", tiled(6000, 4000, [256, 256]), "512x512 at 1 2 4 8 16 32"],
    ["odd tiles", tiled(6000, 4000, [100, 256]), "800x2048 at 1 2 4 8 16 32"],
    ["strips", tiled(6000, 4000, [6000, 16]), "512x512 at 1 2 4 8 16 32"],
    ["a page just larger than a tile", tiled(700, 300, [256, 256]), "512x300 at 1 2 4"],
  ])("of %s are whole stored tiles of a configured minimum size", (_, page, expected) => {
    const values = { "endpoint.iiif.min_tile_size": 512 };
    expect(tilesOf(page, { values })).toEqual([expected]);
  });

  it("have one size where stored ones are halved from level to level, as in JPEG 2000", () => {
    const levels = pyramid({ width: 1500, height: 700 }, { width: 1024, height: 1024 }, 4).map(
      ({ size }, n) => ({ size, tile: { width: 1024 >> n, height: 1024 >> n } }),
    );
    const [first, ...rest] = levels;
    if (first === undefined) throw new Error("expected levels");
    const page = pageOf(1500, 700, { levels: [first, ...rest] });
    expect(tilesOf(page)).toEqual(["1024x700 at 1 2 4 8"]);
  });

  it("are rotated with the page", () => {
    const page = { ...tiled(6000, 4000, [256, 1024]), orientation: 6 as const };
    expect(tilesOf(page)).toEqual(["1024x256 at 1 2 4 8 16 32"]);
  });

  it("of a pyramid are one grid if its tiles are alike, whatever the size of its last level", () => {
    expect(tilesOf(tiled(4096, 4096, [1024, 1024], 4))).toEqual(["1024x1024 at 1 2 4 8 16 32 64"]);
  });

  it("of a pyramid with different tiles in smaller levels name each scale factor once", () => {
    const [first, ...rest] = pyramid({ width: 4000, height: 3000 }, { width: 512, height: 512 }, 4);
    const levels: Page["levels"] = [
      first,
      ...rest.map(({ size }) => ({ size, tile: { width: 768, height: 600 } })),
    ];
    expect(tilesOf(pageOf(4000, 3000, { levels }))).toEqual([
      "512x512 at 1",
      "768x600 at 2 4 8 16 32",
    ]);
  });

  it("of a pyramid follow its two largest levels if these agree, whatever the others have", () => {
    const all = pyramid({ width: 4000, height: 3000 }, { width: 256, height: 256 }, 4);
    const [first, second = first, ...rest] = all;
    const others = rest.map(({ size }) => ({ size, tile: { width: 512, height: 512 } }));
    const levels: Page["levels"] = [first, second, ...others];
    const expected = ["256x256 at 1 2 4 8 16 32"];
    expect(tilesOf(pageOf(4000, 3000, { levels }))).toEqual(expected);
    expect(tilesOf(pageOf(4000, 3000, { levels: [first, second] }))).toEqual(expected);
  });

  it("of a constrained page come from the level that serves them", () => {
    const [first, ...rest] = pyramid({ width: 4000, height: 3000 }, { width: 512, height: 512 }, 3);
    const levels: Page["levels"] = [
      first,
      ...rest.map(({ size }) => ({ size, tile: { width: 1024, height: 1024 } })),
    ];
    expect(tilesOf(pageOf(4000, 3000, { levels }), { constraint: half })).toEqual([
      "1024x1024 at 1 2 4 8 16",
    ]);
  });

  it("respect the limits", () => {
    expect(tilesOf(pageOf(6000, 4000), { values: { max_pixels: 100_000 } })).toEqual([
      "256x256 at 1 2 4 8 16 32",
    ]);
    expect(tilesOf(pageOf(6000, 4000), { values: { max_scale: 0.3 } })).toEqual([
      "512x512 at 4 8 16 32",
    ]);
    expect(tilesOf(pageOf(60, 40), { values: { max_scale: 0.3 } })).toEqual([]);
  });

  it("have at least the configured size", () => {
    const page = tiled(6000, 4000, [256, 256]);
    const values = { "endpoint.iiif.min_tile_size": 1 };
    expect(tilesOf(page, { values })).toEqual(["256x256 at 1 2 4 8 16 32"]);
  });
});
