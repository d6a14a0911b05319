import { readColor } from "../config/color.ts";
import type { AnswerCheck } from "../core/delegate.ts";
import {
  isTextPosition,
  type OverlayDescription,
  overlayBounds,
  type Position,
  readPosition,
  usualText,
} from "../core/overlay-description.ts";
import { isHash } from "./script/values.ts";

type OverlayHash = Readonly<Record<string, unknown>>;

/** Results of `overlay`: what is drawn over the image, null for nothing. */
export const overlay: AnswerCheck<OverlayDescription | null> = {
  expected:
    "an object with image (a path or URL) or string (a text), with position, and perhaps inset, font, font_size, font_min_size, font_weight, glyph_spacing, color, background_color, stroke_color, stroke_width and word_wrap as the documentation of overlays says, or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    if (!isHash(answer)) return undefined;
    if (Object.keys(answer).length === 0) return null;
    const position = positionIn(answer);
    const inset = numberIn(answer, "inset", { usual: 0, min: 0, max: overlayBounds.inset });
    if (position === undefined || inset === undefined || !Number.isInteger(inset)) return undefined;
    if (isThere(answer, "image")) return imageOf(answer, { position, inset });
    return textOf(answer, { position, inset });
  },
};

interface OverlayPosition {
  readonly position: Position;
  readonly inset: number;
}

const imageOf = ({ image }: OverlayHash, place: OverlayPosition): OverlayDescription | undefined =>
  typeof image === "string" && image !== "" && !image.includes("\0")
    ? { kind: "image", image, ...place }
    : undefined;

const textOf = (
  hash: OverlayHash,
  { position, inset }: OverlayPosition,
): OverlayDescription | undefined => {
  const { string } = hash;
  if (typeof string !== "string" || string.trim() === "") return undefined;
  if (string.length > overlayBounds.string || !isTextPosition(position)) return undefined;
  const font = isThere(hash, "font") ? hash["font"] : usualText.font;
  const fontSize = numberIn(hash, "font_size", {
    usual: usualText.fontSize,
    min: 1,
    max: overlayBounds.fontSize,
  });
  const fontMinSize = numberIn(hash, "font_min_size", {
    usual: usualText.fontMinSize,
    min: 1,
    max: overlayBounds.fontSize,
  });
  const fontWeight = numberIn(hash, "font_weight", {
    usual: usualText.fontWeight,
    ...overlayBounds.fontWeight,
  });
  const glyphSpacing = numberIn(hash, "glyph_spacing", {
    usual: usualText.glyphSpacing,
    ...overlayBounds.glyphSpacing,
  });
  const strokeWidth = numberIn(hash, "stroke_width", {
    usual: usualText.strokeWidth,
    min: 0,
    max: overlayBounds.strokeWidth,
  });
  const color = colorIn(hash, "color", usualText.color);
  const backgroundColor = colorIn(hash, "background_color", usualText.backgroundColor);
  const strokeColor = colorIn(hash, "stroke_color", usualText.strokeColor);
  const wordWrap = hash["word_wrap"] ?? false;
  if (typeof font !== "string" || typeof wordWrap !== "boolean") return undefined;
  if (fontSize === undefined || fontMinSize === undefined || fontWeight === undefined)
    return undefined;
  if (glyphSpacing === undefined || strokeWidth === undefined) return undefined;
  if (color === undefined || backgroundColor === undefined || strokeColor === undefined)
    return undefined;
  return {
    kind: "string",
    string,
    position,
    inset,
    font,
    fontSize,
    fontMinSize,
    fontWeight,
    glyphSpacing,
    color,
    backgroundColor,
    strokeColor,
    strokeWidth,
    wordWrap,
  };
};

const isThere = (hash: OverlayHash, name: string): boolean =>
  hash[name] !== undefined && hash[name] !== null;

const positionIn = ({ position }: OverlayHash): Position | undefined =>
  typeof position === "string" ? readPosition(position) : undefined;

const numberIn = (
  hash: OverlayHash,
  name: string,
  { usual, min, max }: { readonly usual: number; readonly min: number; readonly max: number },
): number | undefined => {
  const value = isThere(hash, name) ? hash[name] : usual;
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
};

const colorIn = (hash: OverlayHash, name: string, usual: string): string | undefined => {
  const value = isThere(hash, name) ? hash[name] : usual;
  return typeof value === "string" && readColor(value) !== undefined ? value : undefined;
};
