import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amount } from "../../test/amount.ts";
import { openSeadragonTiles } from "../../test/openseadragon.ts";
import { anyLimits, anyPage, idOf, infoOf, limitsOf, pageOf, pyramid } from "../../test/pages.ts";
import { viewOf } from "../../test/views.ts";
import type { Snapshot } from "../config/store.ts";
import type { Page } from "../core/info.ts";
import { parseImageRequest } from "./grammar.ts";
import { resolve } from "./resolve.ts";
import { readTileOffer } from "./tile-offer.ts";
import { sizeRequests, type TileSpelling, tileLevels, tilesOfLevel } from "./tile-requests.ts";
import { versions } from "./versions.ts";

const uri = "https://example.org/iiif/map.tif";

const requestsOf = (info: unknown, spelling: TileSpelling = {}) => {
  const offer = readTileOffer(info);
  return tileLevels(offer).flatMap((level) => [...tilesOfLevel(offer, level, spelling)]);
};

const urlsOf = (info: unknown, spelling?: TileSpelling): readonly string[] =>
  requestsOf(info, spelling).map(({ path }) => `${uri}/${path}`);

const tiled = (width: number, height: number, tile: readonly [number, number], levels = 1): Page =>
  pageOf(width, height, {
    levels: pyramid({ width, height }, { width: tile[0], height: tile[1] }, levels),
  });

const pages: readonly (readonly [string, Page, Snapshot?])[] = [
  ["a page without tiles", pageOf(3_001, 2_007)],
  ["a tiled page", tiled(5_000, 3_333, [256, 256], 5)],
  ["a page of one tile", pageOf(400, 300)],
  ["a page as wide as a tile", pageOf(512, 4_100)],
  ["a page with tiles of unequal sides", tiled(4_097, 2_049, [512, 128], 4)],
  ["a long page", pageOf(30_000, 200)],
  ["a page of one pixel", pageOf(1, 1)],
  ["a page whose larger sizes are not offered", pageOf(9_001, 7_003), { max_pixels: 1_000_000 }],
];

const cases = versions.flatMap((version) =>
  pages.map(([name, page, values]) => [version.number, name, version, page, values] as const),
);

describe("the requests for tiles", () => {
  it.each(cases)("of version %i and %s are OpenSeadragon's", (_, _name, version, page, values) => {
    const info = version.information(viewOf({ uri, page, limits: limitsOf(values ?? {}) }));
    const urls = urlsOf(info);
    expect(urls.length).toBeGreaterThan(0);
    expect(urls).toEqual(openSeadragonTiles(info));
  });

  it.each(versions)(
    "of version $number are OpenSeadragon's whatever page and limits are",
    (version) => {
      fc.assert(
        fc.property(anyPage, anyLimits, (page, limits) => {
          const info = version.information(viewOf({ uri, page, limits }));
          const levels = tileLevels(readTileOffer(info));
          // It makes up tiles where none are offered.
          fc.pre(levels.length > 0 && levels.every(({ columns, rows }) => columns * rows < 1_000));
          const theirs = openSeadragonTiles(info);
          expect(urlsOf(info).filter((url, index) => url !== theirs[index])).toEqual([]);
          expect(urlsOf(info)).toHaveLength(theirs.length);
        }),
        { numRuns: amount(100) },
      );
    },
  );

  it("are OpenSeadragon's if levels have tiles of different sizes, or factors are missing", () => {
    const info = (tiles: readonly object[]) => ({
      "@context": "http://iiif.io/api/image/3/context.json",
      id: uri,
      width: 5_001,
      height: 3_001,
      sizes: [{ width: 625, height: 375 }],
      tiles,
      profile: "level2",
    });
    const mixed = info([
      { width: 256, scaleFactors: [1, 2] },
      { width: 512, height: 128, scaleFactors: [4, 8] },
    ]);
    expect(urlsOf(mixed)).toEqual(openSeadragonTiles(mixed));
    const sparse = info([{ width: 256, scaleFactors: [8, 1] }]);
    expect(urlsOf(sparse)).toEqual(openSeadragonTiles(sparse));
  });

  it.each(versions)("of level 0 are OpenSeadragon's too", (version) => {
    const info = version.information(viewOf({ uri, page: pageOf(1_000, 777), outputs: [] }));
    expect(readTileOffer(info).isLevel0).toBe(true);
    expect(urlsOf(info)).toEqual(openSeadragonTiles(info));
  });

  it("are in the first preferred format that browsers show, or the given one", () => {
    const version = versions.find(({ number }) => number === 3);
    const info = version?.information(viewOf({ uri, preferred: ["tif", "webp", "jpg"] }));
    expect(readTileOffer(info).preferredFormats).toEqual(["tif", "webp", "jpg"]);
    const urls = urlsOf(info);
    expect(urls[0]).toMatch(/\/default\.webp$/);
    expect(urls).toEqual(openSeadragonTiles(info ?? {}));
    expect(urlsOf(info, { format: "png" })[0]).toMatch(/\/default\.png$/);
  });

  it.each(versions.filter(({ canonical }) => canonical))(
    "are spelled as the server's canonical URIs where that is wanted",
    (version) => {
      const page = tiled(5_000, 3_333, [256, 256], 5);
      const limits = limitsOf({});
      const info = version.information(viewOf({ uri, page, limits }));
      for (const { path, size } of requestsOf(info, { sizes: "canonical" })) {
        const [region = "", wanted = "", rotation = "", quality = ""] = path.split("/");
        const request = parseImageRequest(
          { region, size: wanted, rotation, quality },
          version,
          idOf(),
          "jpg",
        );
        const resolution = resolve(request, infoOf(page), limits);
        expect(resolution.resolved.size).toEqual(size);
        expect(version.canonical?.(resolution)).toBe(path);
      }
    },
  );

  it("give the width alone for viewers before OpenSeadragon 4", () => {
    const info = versions[1]?.information(viewOf({ uri, page: pageOf(1_000, 777) }));
    expect(urlsOf(info, { sizes: "width" })).toEqual([
      `${uri}/full/125,/0/default.jpg`,
      `${uri}/full/250,/0/default.jpg`,
      `${uri}/full/500,/0/default.jpg`,
      `${uri}/0,0,512,512/512,/0/default.jpg`,
      `${uri}/512,0,488,512/488,/0/default.jpg`,
      `${uri}/0,512,512,265/512,/0/default.jpg`,
      `${uri}/512,512,488,265/488,/0/default.jpg`,
    ]);
  });

  it("are none if only sizes are offered, which are requests for the whole image", () => {
    const info = {
      "@context": ["http://iiif.io/api/image/2/context.json"],
      "@id": uri,
      width: 1_000,
      height: 800,
      sizes: [
        { width: 500, height: 400 },
        { width: 1_000, height: 800 },
      ],
      profile: "http://iiif.io/api/image/2/level0.json",
    };
    const offer = readTileOffer(info);
    expect(tileLevels(offer)).toEqual([]);
    expect(sizeRequests(offer).map(({ path }) => path)).toEqual([
      "full/500,/0/default.jpg",
      "full/full/0/default.jpg",
    ]);
  });
});

describe("reading what an info.json offers", () => {
  const good = {
    "@context": "http://iiif.io/api/image/3/context.json",
    width: 100,
    height: 100,
    tiles: [{ width: 64, scaleFactors: [1, 2] }],
  };

  it.each([
    ["no object", null, /expected an object/],
    ["an unknown context", { ...good, "@context": "http://example.org/" }, /@context/],
    ["no width", { ...good, width: undefined }, /width/],
    ["a fraction", { ...good, height: 0.5 }, /height/],
    ["a factor of 0", { ...good, tiles: [{ width: 64, scaleFactors: [0] }] }, /scaleFactors/],
    ["a huge factor", { ...good, tiles: [{ width: 64, scaleFactors: [1e300] }] }, /scaleFactors/],
    ["tiles that are no list", { ...good, tiles: {} }, /a list/],
  ])("refuses %s", (_, info, message) => {
    expect(() => readTileOffer(info)).toThrow(message);
  });
});
