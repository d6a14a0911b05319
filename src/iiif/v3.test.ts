import { describe, expect, it } from "vitest";
import { versionContract } from "../../test/contract/version.ts";
import { idOf, infoOf, limitsOf, pageOf } from "../../test/pages.ts";
import { viewOf } from "../../test/views.ts";
import type { Constraint } from "../core/identifier.ts";
import { parseImageRequest } from "./grammar.ts";
import { resolve } from "./resolve.ts";
import { v3 } from "./v3.ts";

versionContract(v3);

describe("info.json of 3.0", () => {
  it("has its keys in order, the context first", () => {
    const information = v3.information(viewOf({ preferred: ["webp", "jp2", "jpg"] }));
    expect(JSON.stringify(information)).toBe(
      JSON.stringify({
        "@context": "http://iiif.io/api/image/3/context.json",
        id: "https://example.org/iiif/map.tif",
        type: "ImageService3",
        protocol: "http://iiif.io/api/image",
        profile: "level2",
        width: 1000,
        height: 800,
        maxArea: 800_000,
        sizes: [
          { width: 125, height: 100 },
          { width: 250, height: 200 },
          { width: 500, height: 400 },
          { width: 1000, height: 800 },
        ],
        tiles: [{ width: 512, height: 512, scaleFactors: [1, 2, 4, 8] }],
        preferredFormats: ["webp", "jpg"],
        extraQualities: ["color", "gray", "bitonal"],
        extraFormats: ["tif", "gif", "webp", "avif"],
        extraFeatures: [
          "baseUriRedirect",
          "canonicalLinkHeader",
          "cors",
          "jsonldMediaType",
          "mirroring",
          "profileLinkHeader",
          "regionByPct",
          "regionByPx",
          "regionSquare",
          "rotationArbitrary",
          "rotationBy90s",
          "sizeByConfinedWh",
          "sizeByH",
          "sizeByPct",
          "sizeByW",
          "sizeByWh",
        ],
      }),
    );
  });

  it.each([
    [{}, [6000, 4000], 10_000_000],
    [{}, [1000, 800], 800_000],
    [{ max_pixels: 0 }, [6000, 4000], 24_000_000],
    [{ max_scale: 0 }, [100, 100], 10_000_000],
    [{ max_scale: 2 }, [1000, 800], 3_200_000],
    [{ max_scale: 0.5 }, [1000, 800], 200_000],
    [{ max_scale: 0, max_pixels: 0 }, [100, 100], 100_000_000],
    [{ max_scale: 0, max_pixels: 0 }, [40_000, 30_000], 1_200_000_000],
  ] as const)("with the limits %o for %o pixels has a maxArea of %i", (values, size, maxArea) => {
    const page = pageOf(size[0], size[1]);
    const information = v3.information(viewOf({ page, limits: limitsOf(values) }));
    expect(information).toHaveProperty("maxArea", maxArea);
  });

  it("never offers a constrained page larger than it is", () => {
    const constraint = { numerator: 1, denominator: 2 };
    const limits = limitsOf({ max_scale: 0 });
    const information = v3.information(viewOf({ constraint, limits }));
    expect(information).toMatchObject({ width: 500, height: 400, maxArea: 200_000 });
    expect(JSON.stringify(information)).not.toContain("sizeUpscaling");
  });

  it("lists enlarging as a feature only together with a limit", () => {
    const information = v3.information(
      viewOf({ limits: limitsOf({ max_scale: 0, max_pixels: 0 }) }),
    );
    expect(information).toMatchObject({
      maxArea: 100_000_000,
      extraFeatures: expect.arrayContaining(["sizeUpscaling"]),
    });
  });

  it("omits formats that cannot be written", () => {
    const page = pageOf(9, 9, { colour: { bits: 8, model: "grey", alpha: true, profile: "none" } });
    expect(v3.information(viewOf({ page, outputs: ["jpg", "tif"], preferred: ["png"] }))).toEqual(
      expect.objectContaining({
        profile: "level1",
        extraFormats: ["tif"],
        extraQualities: ["gray", "bitonal"],
      }),
    );
    expect(v3.information(viewOf({ outputs: ["jpg", "png"] }))).not.toHaveProperty("extraFormats");
    expect(v3.information(viewOf({ preferred: ["pdf"] }))).not.toHaveProperty("preferredFormats");
  });

  it("keeps the context first when it is replaced", () => {
    const context = ["http://example.org/context.json", "http://iiif.io/api/image/3/context.json"];
    const information = v3.information(
      viewOf({ extra: { rights: "http://example.org/rights", "@context": context } }),
    );
    expect(Object.keys(information)[0]).toBe("@context");
    expect(information["@context"]).toEqual(context);
    expect(Object.keys(information).at(-1)).toBe("rights");
  });
});

describe("the canonical form of 3.0", () => {
  const canonical = (path: string, constraint?: Constraint) => {
    const [region = "", size = "", rotation = "", quality = ""] = path.split("/");
    const request = parseImageRequest({ region, size, rotation, quality }, v3, idOf(constraint));
    const limits = limitsOf({ max_scale: 2, max_pixels: 50_000 });
    return v3.canonical?.(resolve(request, infoOf(pageOf(300, 200)), limits));
  };

  it.each([
    ["full/max/0/default.jpg", "full/max/0/default.jpg"],
    ["full/273,182/0/default.jpg", "full/max/0/default.jpg"],
    ["full/^max/0/default.jpg", "full/max/0/default.jpg"],
    ["full/^150,/0/default.jpg", "full/150,100/0/default.jpg"],
    ["full/!150,150/!22.50/gray.png", "full/150,100/!22.5/gray.png"],
    ["pct:0,0,200,200/pct:10/360/color.jpg", "full/30,20/0/default.jpg"],
    ["square/max/90/bitonal.tif", "50,0,200,200/max/90/bitonal.tif"],
    ["0,0,50,40/^max/0/default.jpg", "0,0,50,40/^max/0/default.jpg"],
    ["0,0,50,40/^100,80/0/default.jpg", "0,0,50,40/^max/0/default.jpg"],
    ["0,0,50,40/^pct:150/0/default.jpg", "0,0,50,40/^75,60/0/default.jpg"],
    ["0,0,50,40/^10,60/0/default.jpg", "0,0,50,40/^10,60/0/default.jpg"],
    ["0,0,50,40/25,/.0000001/default.jpg", "0,0,50,40/25,20/0.0000001/default.jpg"],
  ])("of %s is %s", (path, expected) => {
    expect(canonical(path)).toBe(expected);
  });

  it("counts in pixels of the constrained page", () => {
    const constraint = { numerator: 1, denominator: 2 };
    expect(canonical("100,50,999,999/max/0/default.jpg", constraint)).toBe(
      "100,50,50,50/max/0/default.jpg",
    );
    expect(canonical("0,0,150,100/75,/0/default.jpg", constraint)).toBe("full/75,50/0/default.jpg");
  });
});
