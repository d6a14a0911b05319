import { parseColor } from "../config/color.ts";
import { type OverlayDescription, positions } from "../core/overlay-description.ts";

/** An overlay in `context.operations` of delegates, with Cantaloupe's names. */
export const operationOf = (description: OverlayDescription): Readonly<Record<string, unknown>> => {
  const position = positions[description.position];
  const { inset } = description;
  if (description.kind === "image")
    return { class: "ImageOverlay", uri: description.image, position, inset };
  return {
    class: "StringOverlay",
    background_color: hexOf(description.backgroundColor),
    color: hexOf(description.color),
    font: description.font,
    font_size: description.fontSize,
    font_weight: description.fontWeight,
    glyph_spacing: description.glyphSpacing,
    inset,
    position,
    string: description.string,
    stroke_color: hexOf(description.strokeColor),
    stroke_width: description.strokeWidth,
    word_wrap: description.wordWrap,
  };
};

const hexOf = (text: string): string => {
  const { red, green, blue, alpha } = parseColor(text);
  return `#${[red, green, blue, alpha]
    .map((part) => part.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()}`;
};
