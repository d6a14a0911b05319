import { describe, expect, it } from "vitest";
import { type BenchImage, readInformation } from "./image.ts";
import { isListKind, type ListKind, lists } from "./lists.ts";
import { tilePath } from "./tiles.ts";

const image: BenchImage = {
  path: "/iiif/3/map.tif",
  version: 3,
  width: 6000,
  height: 4100,
  tileWidth: 512,
  tileHeight: 512,
  scaleFactors: [1, 2, 4, 8, 16],
};
const options = { count: 400, seed: 7 };

describe("lists of URLs", () => {
  it.each(Object.keys(lists).filter(isListKind))("are the same for the same seed: %s", (kind) => {
    expect(lists[kind]([image], options)).toEqual(lists[kind]([image], options));
  });

  it.each(["viewer", "odd"] as const)("differ with the seed: %s", (kind: ListKind) => {
    expect(lists[kind]([image], options)).not.toEqual(
      lists[kind]([image], { ...options, seed: 8 }),
    );
  });

  it.each(["viewer", "thumbnails", "full", "odd", "info"] as const)(
    "are as long as was asked: %s",
    (kind) => {
      expect(lists[kind]([image], options)).toHaveLength(400);
    },
  );

  it("hold every tile of every level once", () => {
    const tiles = lists.tiles([image], { count: 10_000, seed: 1 });
    const expected = image.scaleFactors
      .map((factor) => Math.ceil(6000 / (512 * factor)) * Math.ceil(4100 / (512 * factor)))
      .reduce((sum, number) => sum + number);
    expect(tiles).toHaveLength(expected);
    expect(new Set(tiles).size).toBe(expected);
  });

  it("have viewers ask only for tiles that the image offers, and for info.json first", () => {
    const offered = new Set(lists.tiles([image], { count: 10_000, seed: 1 }));
    const [first, ...asked] = lists.viewer([image], options);
    expect(first).toBe("/iiif/3/map.tif/info.json");
    for (const url of asked) if (!url.endsWith("info.json")) expect(offered).toContain(url);
  });

  it("have viewers see several levels, down to full size", () => {
    const urls = lists.viewer([image], options);
    const widths = urls.flatMap((url) => /\/\d+,\d+,(\d+),\d+\//.exec(url)?.[1] ?? []);
    for (const width of ["512", "1024", "2048"]) expect(widths).toContain(width);
  });

  it("ask for odd regions that lie in the page and are not enlarged", () => {
    for (const url of lists.odd([image], options)) {
      const numbers = /\/(\d+),(\d+),(\d+),(\d+)\/(\d+),(\d+)\/0\/default\.jpg$/.exec(url);
      const [x, y, w, h, width, height] = numbers?.slice(1).map(Number) ?? [];
      expect(Number(x) + Number(w)).toBeLessThanOrEqual(6000);
      expect(Number(y) + Number(h)).toBeLessThanOrEqual(4100);
      expect(Number(width)).toBeLessThanOrEqual(Number(w));
      expect(Number(height)).toBeLessThanOrEqual(Number(h));
    }
  });
});

describe("tiles", () => {
  it("are cut off at the right and bottom edge", () => {
    expect(tilePath(image, { factor: 4, column: 2, row: 2 })).toBe(
      "/iiif/3/map.tif/4096,4096,1904,4/476,1/0/default.jpg",
    );
  });

  it("are asked for by width alone before 3.0, and by the words of their version", () => {
    const tile = { factor: 2, column: 1, row: 0 };
    expect(tilePath({ ...image, version: 2, path: "/iiif/2/a" }, tile)).toBe(
      "/iiif/2/a/1024,0,1024,1024/512,/0/default.jpg",
    );
    expect(tilePath({ ...image, version: 1, path: "/iiif/1/a" }, tile)).toBe(
      "/iiif/1/a/1024,0,1024,1024/512,/0/native.jpg",
    );
  });

  it("that show the whole page are asked for as full", () => {
    expect(tilePath(image, { factor: 16, column: 0, row: 0 })).toBe(
      "/iiif/3/map.tif/full/375,257/0/default.jpg",
    );
    const small = { ...image, width: 300, height: 200, scaleFactors: [1] };
    const tile = { factor: 1, column: 0, row: 0 };
    expect(tilePath(small, tile)).toBe("/iiif/3/map.tif/full/max/0/default.jpg");
    expect(tilePath({ ...small, version: 2 }, tile)).toBe(
      "/iiif/3/map.tif/full/full/0/default.jpg",
    );
  });
});

describe("reading info.json", () => {
  const tiles = [{ width: 512, height: 256, scaleFactors: [4, 1, 2] }];

  it("understands all three versions", () => {
    const size = { width: 600, height: 400 };
    const expected = { tileWidth: 512, tileHeight: 256, scaleFactors: [1, 2, 4] };
    const read = (information: unknown) => readInformation("/a", information);
    expect(read({ "@context": "http://iiif.io/api/image/3/context.json", ...size, tiles })).toEqual(
      { path: "/a", version: 3, ...size, ...expected },
    );
    expect(
      read({ "@context": ["x", "http://iiif.io/api/image/2/context.json"], ...size, tiles }),
    ).toEqual({ path: "/a", version: 2, ...size, ...expected });
    expect(
      read({
        "@context": "http://library.stanford.edu/iiif/image-api/1.1/context.json",
        ...size,
        tile_width: 512,
        tile_height: 256,
        scale_factors: [1, 2, 4],
      }),
    ).toEqual({ path: "/a", version: 1, ...size, ...expected });
  });

  it("takes an image without tiles as one tile", () => {
    const context = { "@context": "http://iiif.io/api/image/3/context.json" };
    expect(readInformation("/a", { ...context, width: 60, height: 40 })).toMatchObject({
      tileWidth: 60,
      tileHeight: 40,
      scaleFactors: [1],
    });
  });

  it("says what is wrong with others", () => {
    expect(() => readInformation("/a", [])).toThrow("info.json");
    expect(() => readInformation("/a", { "@context": "http://iiif.io/api/image/3/" })).toThrow(
      "width",
    );
    expect(() => readInformation("/a", { width: 1, height: 1 })).toThrow("@context");
  });
});
