import { describe, expect, it } from "vitest";
import { openSeadragonTiles } from "../../test/openseadragon.ts";
import { random } from "../../test/random.ts";
import { area } from "../core/geometry.ts";
import { type ImageLayout, infoOf, largestOf, picturesOf } from "./layout.ts";

const layout = (width: number, height: number, more: Partial<ImageLayout> = {}): ImageLayout => ({
  versions: [2, 3],
  tile: 512,
  formats: ["jpg"],
  maxPixels: 10_000_000,
  manifest: false,
  size: { width, height },
  uris: { 2: "https://example.org/2/a", 3: "https://example.org/3/a" },
  ...more,
});

const paths = (made: ImageLayout, version: 2 | 3): readonly string[] =>
  picturesOf(made).flatMap(({ files }) =>
    files.filter((file) => file.version === version).map(({ path }) => path),
  );

const sizes: readonly (readonly [number, number])[] = [
  [1, 1],
  [300, 200],
  [512, 512],
  [513, 512],
  [300, 4_001],
  [4_204, 2_787],
  // The largest size of the whole image is close to a half of these.
  [5_616, 3_744],
  [6_000, 4_500],
  [8_256, 5_504],
  [9_999, 7_001],
];

const dice = random(1);
const chosen = Array.from({ length: 40 }, () => ({
  size: [dice.whole(1, 12_000), dice.whole(1, 12_000)] as const,
  sizes: dice.one([undefined, [500, 1_000, 2_000], [300, 600], [1_000]]),
}));

describe("the pictures of an export", () => {
  it.each(sizes)("are all that OpenSeadragon requests of %i x %i pixels", (width, height) => {
    const made = layout(width, height);
    for (const version of made.versions) {
      const info = infoOf(made, version);
      const exported = new Set(paths(made, version));
      const requested = openSeadragonTiles(info).map((url) =>
        url.replace(`https://example.org/${version}/a/`, ""),
      );
      expect(requested.length).toBeGreaterThan(0);
      for (const path of requested) expect(exported).toContain(path);
    }
  });

  it.each(chosen)("are tiles of powers of two, whatever sizes are listed: $size, $sizes", (one) => {
    const [width, height] = one.size;
    const made = layout(width, height, { sizes: one.sizes });
    const exported = new Set(paths(made, 3));
    for (const url of openSeadragonTiles(infoOf(made, 3))) {
      const path = url.replace("https://example.org/3/a/", "");
      expect(exported).toContain(path);
      const [region = "", size = ""] = path.split("/");
      if (region === "full") continue;
      const [x = 0, y = 0, w = 0, h = 0] = region.split(",").map(Number);
      const [wide = 0, high = 0] = size.split(",").map(Number);
      expect([x + w <= width, y + h <= height]).toEqual([true, true]);
      const factor = 2 ** Math.round(Math.log2(Math.max(w / wide, h / high)));
      expect([wide, high]).toEqual([Math.ceil(w / factor), Math.ceil(h / factor)]);
    }
  });

  it.each(sizes)(
    "include every listed size of %i x %i pixels, and the largest",
    (width, height) => {
      const made = layout(width, height);
      const listed = infoOf(made, 3)["sizes"] as { width: number; height: number }[];
      for (const size of listed)
        expect(paths(made, 3)).toContain(`full/${size.width},${size.height}/0/default.jpg`);
      const wide = infoOf(made, 2)["sizes"] as { width: number; height: number }[];
      for (const size of wide)
        expect(paths(made, 2)).toContain(`full/${size.width},${size.height}/0/default.jpg`);
      expect(paths(made, 3)).toContain("full/max/0/default.jpg");
    },
  );

  it("are rendered once if both versions share them", () => {
    const tile = picturesOf(layout(2_000, 1_000)).find(
      ({ region }) => region.x === 512 && region.width === 512 && region.y === 0,
    );
    expect(tile).toEqual({
      region: { x: 512, y: 0, width: 512, height: 512 },
      size: { width: 512, height: 512 },
      format: "jpg",
      files: [
        { version: 2, path: "512,0,512,512/512,/0/default.jpg" },
        { version: 3, path: "512,0,512,512/512,512/0/default.jpg" },
      ],
    });
  });

  it("have unique names and at most the allowed number of pixels", () => {
    const made = layout(9_999, 7_001, { formats: ["webp", "jpg"], sizes: [200, 400, 20_000] });
    for (const version of made.versions) {
      const all = paths(made, version);
      expect(new Set(all).size).toBe(all.length);
    }
    for (const { size } of picturesOf(made)) expect(area(size)).toBeLessThan(10_010_000);
  });
});

describe("the info.json of an export", () => {
  it("claims level 0 and only what was exported", () => {
    expect(infoOf(layout(1_000, 700), 3)).toEqual({
      "@context": "http://iiif.io/api/image/3/context.json",
      id: "https://example.org/3/a",
      type: "ImageService3",
      protocol: "http://iiif.io/api/image",
      profile: "level0",
      width: 1_000,
      height: 700,
      sizes: [
        { width: 500, height: 350 },
        { width: 1_000, height: 700 },
      ],
      tiles: [{ width: 512, scaleFactors: [1, 2] }],
    });
    expect(infoOf(layout(1_000, 700), 2)).toMatchObject({
      "@id": "https://example.org/2/a",
      profile: ["http://iiif.io/api/image/2/level0.json"],
    });
  });

  it("limits the whole image to the pixels and side lengths that can be written", () => {
    const large = layout(20_000, 10_000);
    expect(largestOf(large)).toEqual({ width: 4_472, height: 2_236 });
    expect(infoOf(large, 3)).toMatchObject({ maxWidth: 4_472, maxHeight: 2_236 });
    expect(paths(large, 2)).toContain("full/max/0/default.jpg");
    expect(paths(large, 2)).not.toContain("full/full/0/default.jpg");
    const long = layout(40_000, 100, { versions: [3], formats: ["webp"] });
    expect(largestOf(long)).toEqual({ width: 16_383, height: 41 });
    const thin = { ...long, size: { width: 200_000, height: 3 } };
    expect(largestOf(thin)).toEqual({ width: 16_383, height: 1 });
  });

  it("lists formats other than JPEG, the preferred one first", () => {
    expect(infoOf(layout(10, 10, { formats: ["webp", "jpg"] }), 3)).toMatchObject({
      preferredFormats: ["webp", "jpg"],
      extraFormats: ["webp"],
    });
  });
});
