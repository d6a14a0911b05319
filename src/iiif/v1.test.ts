import { describe, expect, it } from "vitest";
import { versionContract } from "../../test/contract/version.ts";
import { pageOf } from "../../test/pages.ts";
import { viewOf } from "../../test/views.ts";
import { v1 } from "./v1.ts";

versionContract(v1);

describe("info.json of 1.1", () => {
  it("is flat", () => {
    const information = v1.information(viewOf());
    expect(JSON.stringify(information)).toBe(
      JSON.stringify({
        "@context": "http://library.stanford.edu/iiif/image-api/1.1/context.json",
        "@id": "https://example.org/iiif/map.tif",
        width: 1000,
        height: 800,
        scale_factors: [1, 2, 4, 8],
        tile_width: 512,
        tile_height: 512,
        formats: ["jpg", "png", "tif", "gif", "webp", "avif"],
        qualities: ["native", "color", "grey", "bitonal"],
        profile: "http://library.stanford.edu/iiif/image-api/1.1/compliance.html#level2",
      }),
    );
  });

  it("lists no colour for grey images, and the compliance level that the formats allow", () => {
    const page = pageOf(9, 9, {
      colour: { bits: 1, model: "grey", alpha: false, profile: "none" },
    });
    expect(v1.information(viewOf({ page, outputs: ["jpg"] }))).toMatchObject({
      qualities: ["native", "grey", "bitonal"],
      profile: "http://library.stanford.edu/iiif/image-api/1.1/compliance.html#level1",
    });
  });
});
