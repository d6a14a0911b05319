import { describe, expect, it } from "vitest";
import { versionContract } from "../../test/contract/version.ts";
import { idOf, infoOf, limitsOf, pageOf } from "../../test/pages.ts";
import { viewOf } from "../../test/views.ts";
import { parseImageRequest } from "./grammar.ts";
import { resolve } from "./resolve.ts";
import { v2 } from "./v2.ts";

versionContract(v2);

describe("info.json of 2.1", () => {
  it("has its keys in order and the limits in the profile", () => {
    const information = v2.information(viewOf());
    expect(Object.keys(information)).toEqual([
      "@context",
      "@id",
      "protocol",
      "width",
      "height",
      "sizes",
      "tiles",
      "profile",
    ]);
    expect(information).toMatchObject({
      "@context": "http://iiif.io/api/image/2/context.json",
      "@id": "https://example.org/iiif/map.tif",
      protocol: "http://iiif.io/api/image",
      sizes: [
        { width: 125, height: 100 },
        { width: 250, height: 200 },
        { width: 500, height: 400 },
        { width: 1000, height: 800 },
      ],
      tiles: [{ width: 512, height: 512, scaleFactors: [1, 2, 4, 8] }],
      profile: [
        "http://iiif.io/api/image/2/level2.json",
        {
          formats: ["jpg", "png", "tif", "gif", "webp", "avif"],
          maxArea: 800_000,
          qualities: ["default", "color", "gray", "bitonal"],
        },
      ],
    });
  });

  it("lists enlarging as a feature where it is possible", () => {
    const supports = (max_scale: number, constraint = { numerator: 1, denominator: 1 }) =>
      JSON.stringify(v2.information(viewOf({ constraint, limits: limitsOf({ max_scale }) })));
    expect(supports(1)).not.toContain("sizeAboveFull");
    expect(supports(2)).toContain("sizeAboveFull");
    expect(supports(0)).toContain("sizeAboveFull");
    expect(supports(0, { numerator: 1, denominator: 2 })).not.toContain("sizeAboveFull");
  });

  it("puts extra keys last, overriding its own, and drops empty ones", () => {
    const extra = { attribution: "Somebody", width: 5, license: "", service: [], logo: null };
    const information = v2.information(viewOf({ extra }));
    expect(Object.keys(information).slice(-2)).toEqual(["profile", "attribution"]);
    expect(information).toHaveProperty("width", 5);
  });
});

describe("the canonical form of 2.1", () => {
  const canonical = (path: string, [width, height]: readonly [number, number] = [300, 200]) => {
    const [region = "", size = "", rotation = "", quality = ""] = path.split("/");
    const request = parseImageRequest({ region, size, rotation, quality }, v2, idOf());
    return v2.canonical?.(resolve(request, infoOf(pageOf(width, height)), limitsOf()));
  };

  it.each([
    ["full/max/0/default.jpg", "full/full/0/default.jpg"],
    ["0,0,300,200/300,200/360/color.jpg", "full/full/0/default.jpg"],
    ["pct:0,0,200,200/!150,150/!22.50/gray.png", "full/150,/!22.5/gray.png"],
    ["square/150,150/0/default.jpg", "50,0,200,200/150,/0/default.jpg"],
    ["125,15,999,999/100,50/.5/bitonal.gif", "125,15,175,185/100,50/0.5/bitonal.gif"],
  ])("of %s is %s", (path, expected) => {
    expect(canonical(path)).toBe(expected);
  });

  it("of a square image's square is full", () => {
    expect(canonical("square/full/0/default.jpg", [200, 200])).toBe("full/full/0/default.jpg");
  });

  it("keeps a height that differs from the one the width implies", () => {
    expect(canonical("full/,101/0/default.jpg", [300, 1000])).toBe("full/30,101/0/default.jpg");
    expect(canonical("full/,100/0/default.jpg", [300, 1000])).toBe("full/30,/0/default.jpg");
  });
});
