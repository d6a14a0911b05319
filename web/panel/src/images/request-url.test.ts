import { expect, test } from "vitest";
import { type ApiVersion, requestUrl, type Wanted, whole } from "./request-url.ts";

const server = "https://example.org/pictures/";

const spelt = (
  version: ApiVersion,
  wanted: Partial<Wanted>,
  identifier = "maps/a b.tif",
): string => {
  const answer = requestUrl(server, version, { identifier, wanted: { ...whole, ...wanted } });
  return "url" in answer ? answer.url.slice(server.length) : answer.reason;
};

test.each([
  [3, {}, "iiif/3/maps%2Fa%20b.tif/full/max/0/default.jpg"],
  [2, {}, "iiif/2/maps%2Fa%20b.tif/full/max/0/default.jpg"],
  [1, {}, "iiif/1/maps%2Fa%20b.tif/full/full/0/native.jpg"],
  [3, { size: "^!800,800" }, "iiif/3/maps%2Fa%20b.tif/full/^!800,800/0/default.jpg"],
  [2, { size: "^!800,800" }, "iiif/2/maps%2Fa%20b.tif/full/!800,800/0/default.jpg"],
  [2, { size: "^max" }, "Version 2 has no word for ^max."],
  [
    1,
    { quality: "gray", region: "pct:10,10,50,50" },
    "iiif/1/maps%2Fa%20b.tif/pct:10,10,50,50/full/0/grey.jpg",
  ],
  [1, { region: "square" }, "Version 1 has no square regions."],
  [1, { rotation: "!90" }, "Version 1 does not mirror."],
  [2, { rotation: "!90", region: "square" }, "iiif/2/maps%2Fa%20b.tif/square/max/!90/default.jpg"],
] as const)("writes in version %d %o: %s", (version, wanted, url) => {
  expect(spelt(version, wanted)).toBe(url);
});

test("keeps typed text within its segment", () => {
  expect(spelt(3, { region: " full ", size: "a/b?c#d" }, "ü?#%")).toBe(
    "iiif/3/%C3%BC%3F%23%25/full/a%2Fb%3Fc%23d/0/default.jpg",
  );
});
