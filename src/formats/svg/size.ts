import { fail } from "../../core/errors.ts";
import { roundUp, type Size } from "../../core/geometry.ts";

/** CSS pixels per unit (CSS Values 4, 6.2); em and ex of the default text size. */
const pixelsPer: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  em: 12,
  rem: 12,
  ex: 6,
  ch: 6,
};

/** The default size of a document (CSS 2.2, 10.3.2). */
const unsized: Size = { width: 300, height: 150 };

/**
 * The size of a document in pixels, which may be fractional: its own, at 96 dpi, or that of its
 * viewBox; a missing side follows from the viewBox. Throws `unreadable` where it is invalid.
 */
export const sizeOf = (attributes: ReadonlyMap<string, string>): Size => {
  const box = viewBoxOf(attributes);
  const width = lengthOf(attributes.get("width"));
  const height = lengthOf(attributes.get("height"));
  const ratio = box && box.height / box.width;
  const natural = box ?? unsized;
  const size = {
    width: width ?? (height !== undefined && ratio ? height / ratio : natural.width),
    height: height ?? (width !== undefined && ratio ? width * ratio : natural.height),
  };
  if (!(size.width > 0 && size.height > 0))
    fail("unreadable", "Expected an SVG document with a positive width and height.");
  return size;
};

/** The whole pixels that a document of a size covers; partial ones count. */
export const pixelsOf = ({ width, height }: Size): Size => ({
  width: Math.max(1, roundUp(width)),
  height: Math.max(1, roundUp(height)),
});

/** In pixels; undefined for an invalid length, or a percentage. */
const lengthOf = (said: string | undefined): number | undefined => {
  const found = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(said ?? "");
  const factor = found ? pixelsPer[(found[2] ?? "").toLowerCase()] : undefined;
  return found && factor !== undefined ? Number(found[1]) * factor : undefined;
};

/** The width and height of the viewBox; undefined where it is missing or empty. */
const viewBoxOf = (attributes: ReadonlyMap<string, string>): Size | undefined => {
  const numbers = (attributes.get("viewBox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width = 0, height = 0] = numbers;
  const isBox = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  return isBox ? { width, height } : undefined;
};
