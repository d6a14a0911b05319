import { describe, expect, it } from "vitest";
import { readInformation } from "../image.ts";
import { workloads } from "./workloads.ts";

const image = (path: string) =>
  readInformation(path, {
    "@context": "http://iiif.io/api/image/2/context.json",
    width: 12_000,
    height: 9_000,
    tiles: [{ width: 256, scaleFactors: [1, 2, 4, 8, 16, 32] }],
  });

describe("workloads", () => {
  it.each(workloads)("$name asks every server for the same", ({ paths }) => {
    const ours = paths([image("/iiif/2/a"), image("/iiif/2/b")]);
    const theirs = paths([image("/iiif/a"), image("/iiif/b")]);
    expect(ours.length).toBeGreaterThan(1);
    expect(theirs.map((path) => path.replace("/iiif/", "/iiif/2/"))).toEqual(ours);
  });

  it("ask for no tile twice in a round", () => {
    const [stored] = workloads;
    const paths = stored?.paths([image("/iiif/2/a"), image("/iiif/2/b")]) ?? [];
    expect(paths.length).toBe(2 * 46 * 35);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("stay inside the picture with odd regions", () => {
    const odd = workloads.find(({ name }) => name === "odd");
    const paths = odd?.paths([image("/iiif/2/a")]) ?? [];
    expect(paths.length).toBeGreaterThan(1_000);
    for (const path of paths) {
      const [x = 0, y = 0, w = 0, h = 0] = path.split("/")[4]?.split(",").map(Number) ?? [];
      expect([w, h]).toEqual([1700, 1300]);
      expect(x + w).toBeLessThanOrEqual(12_000);
      expect(y + h).toBeLessThanOrEqual(9_000);
    }
  });
});
