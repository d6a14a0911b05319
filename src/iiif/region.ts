import { fail } from "../core/errors.ts";
import { type Rect, round, roundDown, type Size } from "../core/geometry.ts";
import { quoted } from "../core/identifier.ts";
import type { Region } from "../core/request.ts";
import { parseDecimal, parsePixels, pixelsIn } from "./numbers.ts";
import type { Syntax } from "./version.ts";

/** Parses the decoded region segment (3.0 §4.1); throws `malformed`. */
export const parseRegion = (
  text: string,
  { square, decimals }: Pick<Syntax, "square" | "decimals">,
): Region => {
  if (text === "full" || (text === "square" && square)) return { kind: text };
  // Requests for tiles are in pixels; they are read without making lists.
  const pixels = decimals ? undefined : parsePixelRect(text);
  if (pixels !== undefined) return { kind: "pixels", rect: pixels };
  const percent = text.startsWith("pct:");
  const numbers = (percent ? text.slice(4) : text)
    .split(",")
    .map(percent ? parseDecimal : decimals ? parseRounded : parsePixels);
  const [x, y, width, height] = numbers;
  if (numbers.length !== 4 || x === undefined || y === undefined || !width || !height) {
    const forms = `full;${square ? " square;" : ""} x,y,w,h or pct:x,y,w,h with w and h above 0`;
    return fail("malformed", `region: expected ${forms}, got ${quoted(text)}`);
  }
  return { kind: percent ? "percent" : "pixels", rect: { x, y, width, height } };
};

/** Four numbers of pixels; undefined for anything else, and where the rectangle is empty. */
const parsePixelRect = (text: string): Rect | undefined => {
  const first = text.indexOf(",");
  const second = text.indexOf(",", first + 1);
  const third = text.indexOf(",", second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const x = pixelsIn(text, 0, first);
  const y = pixelsIn(text, first + 1, second);
  const width = pixelsIn(text, second + 1, third);
  const height = pixelsIn(text, third + 1, text.length);
  return x === undefined || y === undefined || !width || !height
    ? undefined
    : { x, y, width, height };
};

const parseRounded = (text: string): number | undefined => {
  const value = parseDecimal(text);
  return value === undefined ? undefined : round(value);
};

/**
 * The part of a page that a region names, clipped to the page; `malformed` where nothing is left.
 */
export const locate = (region: Region, page: Size): Rect => {
  switch (region.kind) {
    case "full":
      return { x: 0, y: 0, width: page.width, height: page.height };
    case "square": {
      const side = Math.min(page.width, page.height);
      const middle = (length: number): number => roundDown((length - side) / 2);
      return { x: middle(page.width), y: middle(page.height), width: side, height: side };
    }
    case "pixels":
      return clip(region.rect, page);
    case "percent": {
      const { x, y, width, height } = region.rect;
      return clip(
        {
          x: percentOf(page.width, x),
          y: percentOf(page.height, y),
          width: percentOf(page.width, width),
          height: percentOf(page.height, height),
        },
        page,
      );
    }
  }
};

/** A percentage of a length, rounded. */
export const percentOf = (length: number, percent: number): number =>
  // The product may miss a half by the last binary digit, which decimals never mean.
  round(Number(((length * percent) / 100).toFixed(6)));

const clip = (rect: Rect, page: Size): Rect => {
  const width = Math.min(rect.width, page.width - rect.x);
  const height = Math.min(rect.height, page.height - rect.y);
  if (width < 1 || height < 1)
    fail(
      "malformed",
      `region: expected at least one pixel of the ${page.width}x${page.height} image, got ${rect.x},${rect.y},${rect.width},${rect.height}`,
    );
  return { x: rect.x, y: rect.y, width, height };
};
