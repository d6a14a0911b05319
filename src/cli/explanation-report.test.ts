import { describe, expect, it } from "vitest";
import type { PyramidUse } from "../service/explain.ts";
import { reportOf } from "./explanation-report.ts";

const pyramidLine = (pyramid: PyramidUse): string | undefined =>
  reportOf({ url: "/iiif/3/a.jpg/full/max/0/default.jpg", answer: { status: 200 }, pyramid })
    .split("\n")
    .find((line) => line.startsWith("pyramid"))
    ?.replace(/^pyramid\s+/, "");

const costs = { pixelsWith: 1_000_000, pixelsWithout: 12_400_000 } as const;
const gains = "the request 12 times cheaper (1,000,000 instead of 12,400,000 pixels)";

describe("the report on a request", () => {
  it.each([
    [
      { state: { kind: "absent", share: 0.5 }, used: false, ...costs },
      `none yet; requests have caused 50 % of the decoding after which one is made; it would make ${gains}`,
    ],
    [
      { state: { kind: "refused", reason: "Too large." }, used: false, ...costs },
      `refused: Too large. It would make ${gains}`,
    ],
    [
      { state: { kind: "pending" }, used: false, ...costs },
      `waiting or being made; it would make ${gains}`,
    ],
    [
      { state: { kind: "ready", bytes: 5_000 }, used: true, ...costs },
      `used, 5,000 bytes; it makes ${gains}`,
    ],
    [
      { state: { kind: "ready", bytes: 5_000 }, used: false, pixelsWith: 9, pixelsWithout: 9 },
      "made, 5,000 bytes, not used: it would gain nothing for this request",
    ],
    [
      { state: { kind: "absent", share: 0 }, used: false, pixelsWith: 9, pixelsWithout: 9 },
      "none yet; requests have caused 0 % of the decoding after which one is made; it would gain nothing for this request",
    ],
    [
      { state: { kind: "unneeded" }, used: false, ...costs },
      "not needed, the page is fast to zoom",
    ],
  ] as const)("reports whether a pyramid is used, why not, and its gain: %#", (use, line) => {
    expect(pyramidLine(use)).toBe(line);
  });
});
