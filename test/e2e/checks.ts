import sharp from "sharp";
import { expect } from "vitest";
import type { Answer } from "./app.ts";
import { type Grid, type Shown, shownSize } from "./grid.ts";
import { gridLikeness } from "./grid-likeness.ts";

/**
 * Allowed deviation of a channel, of 255: the official validator's measure; none for lossless
 * formats.
 */
const tolerances = { lossy: 5, lossless: 0 } as const;

/** Checks that a response is an image that shows a part of a grid, including colours. */
export const expectShown = async (answer: Answer, grid: Grid, shown: Shown): Promise<void> => {
  expect(answer.status, answer.body.toString("latin1").slice(0, 300)).toBe(200);
  const [width, height] = shownSize(shown);
  const actual = await sharp(answer.body).metadata();
  expect([actual.width, actual.height]).toEqual([width, height]);
  const unscaled = shown.size[0] === shown.region[2] && shown.size[1] === shown.region[3];
  const exact = unscaled && answer.headers["content-type"] === "image/png";
  const tolerance = exact ? tolerances.lossless : tolerances.lossy;
  const likeness = await gridLikeness(answer.body, grid, { shown, tolerance });
  expect(likeness.compared, "points compared").toBeGreaterThan(10);
  expect(likeness.alike / likeness.compared, likeness.first ?? "").toBeGreaterThan(
    exact ? 0.999 : 0.92,
  );
};

/**
 * Checks that at least 65 % of the pixels (the official validator's share) are of the requested
 * kind.
 */
export const expectColours = async (
  answer: Answer,
  kind: "colour" | "gray" | "bitonal",
): Promise<void> => {
  expect(answer.status, answer.body.toString("latin1").slice(0, 300)).toBe(200);
  const { data, info } = await sharp(answer.body)
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const share = { gray: 0, bitonal: 0 };
  for (let at = 0; at < data.length; at += info.channels) {
    const [red = 0, green = red, blue = red] = data.subarray(at, at + info.channels);
    const sum = red + green + blue;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) < 5) share.gray++;
    if (sum < 15 || sum > 750) share.bitonal++;
  }
  const pixels = info.width * info.height;
  if (kind === "colour") expect(share.gray / pixels).toBeLessThan(0.35);
  else expect(share[kind] / pixels).toBeGreaterThan(0.65);
};

/** The links of a Link header, as the official validator reads it: of the first line. */
export const linksOf = (
  answer: Answer,
): { readonly profile?: string; readonly canonical?: string } =>
  Object.fromEntries(
    [...(headerOf(answer, "link") ?? "").matchAll(/<([^>]*)>\s*;\s*rel="?([\w-]+)"?/g)].map(
      ([, uri, relation]) => [relation, uri],
    ),
  );

/** A header's value, or of several lines the first. */
export const headerOf = (answer: Answer, name: string): string | undefined => {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/**
 * Checks that a response is an error page with a message, readable from any origin, and not
 * cacheable.
 */
export const expectRefusal = (answer: Answer, statuses: readonly number[]): void => {
  const text = answer.body.toString("utf8");
  expect(statuses, text.slice(0, 300)).toContain(answer.status);
  expect(answer.headers["access-control-allow-origin"]).toBe("*");
  expect(answer.headers["cache-control"] ?? "").not.toContain("max-age");
  expect(text.length).toBeGreaterThan(20);
  expect(text).not.toMatch(/\n\s+at .+:\d+/);
};
