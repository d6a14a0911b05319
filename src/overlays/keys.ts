import { defineKeys, type Settings } from "../config/keys.ts";
import { overlayBounds, usualText } from "../core/overlay-description.ts";

const inString = "`overlays.BasicStrategy.type = string`";

/** What is laid over images. */
export const overlayKeys = defineKeys({
  "overlays.strategy": {
    type: "choice",
    choices: ["BasicStrategy", "ScriptStrategy"],
    default: "BasicStrategy",
    doc: "Who says what is laid over images: `BasicStrategy` has the same for all of them, as the other keys say; `ScriptStrategy` calls `overlay` of the delegate for every image request.",
  },
  "overlays.placement": {
    type: "choice",
    choices: ["page", "response"],
    default: "page",
    cantaloupe: "response",
    doc: "What overlays are placed against. `page`: tiles are parts of the whole image at their scale, which has the overlay once, so that they join in a viewer; any other region is an image of its own. `response`: every response is, each tile included.",
  },
  "overlays.BasicStrategy.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether `BasicStrategy` lays anything over images. What it needs that cannot be had, such as the overlay's file, ends image requests with 500.",
  },
  "overlays.BasicStrategy.type": {
    type: "choice",
    choices: ["", "image", "string"],
    default: "",
    doc: "What is laid over images: `image` or `string`. One of them has to be named where `overlays.BasicStrategy.enabled` is set.",
  },
  "overlays.BasicStrategy.image": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "The picture that is laid over images (PNG, WebP, TIFF, GIF or JPEG; up to 4 megapixels): a path, or a URL of `file:`, `http:` or `https:`. It is looked at again every second, or as long as the web server's Cache-Control says.",
  },
  "overlays.BasicStrategy.position": {
    type: "string",
    default: "",
    doc: "Where the overlay lies: `top left`, `top center`, `top right`, `left center`, `center`, `right center`, `bottom left`, `bottom center` or `bottom right`; pictures also `repeat` (all over the image) or `scaled` (as large as fits).",
  },
  "overlays.BasicStrategy.inset": {
    type: "integer",
    default: 0,
    min: 0,
    max: overlayBounds.inset,
    doc: "Pixels between the overlay and the edges of the image.",
  },
  "overlays.BasicStrategy.output_width_threshold": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Images that are narrower, in pixels of the output, have no overlay. With `overlays.placement = page` a tile counts as the whole image at its scale.",
  },
  "overlays.BasicStrategy.output_height_threshold": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Images that are less high have no overlay; as for the width.",
  },
  "overlays.BasicStrategy.string": {
    type: "string",
    default: "",
    doc: `The text that is laid over images with ${inString}, of at most ${overlayBounds.string} characters; \`\\n\` begins a line.`,
  },
  "overlays.BasicStrategy.string.font": {
    type: "string",
    default: usualText.font,
    doc: "The family of the font, as the system has it (`fc-list` lists them), or SansSerif, Serif or Monospaced. Where the system has no such font, its usual one is taken.",
  },
  "overlays.BasicStrategy.string.font.size": {
    type: "integer",
    default: usualText.fontSize,
    min: 1,
    max: overlayBounds.fontSize,
    doc: "The size of the font, in pixels to an em.",
  },
  "overlays.BasicStrategy.string.font.min_size": {
    type: "integer",
    default: usualText.fontMinSize,
    min: 1,
    max: overlayBounds.fontSize,
    doc: "What the size goes down to, a pixel at a time, where the text is too large for the image. Images in which it has no room even then have no overlay.",
  },
  "overlays.BasicStrategy.string.font.weight": {
    type: "number",
    default: usualText.fontWeight,
    min: overlayBounds.fontWeight.min,
    max: overlayBounds.fontWeight.max,
    doc: "How bold the font is: 1 is regular, 2 bold.",
  },
  "overlays.BasicStrategy.string.glyph_spacing": {
    type: "number",
    default: usualText.glyphSpacing,
    min: overlayBounds.glyphSpacing.min,
    max: overlayBounds.glyphSpacing.max,
    doc: "Space that is added between glyphs, in ems.",
  },
  "overlays.BasicStrategy.string.color": {
    type: "color",
    default: usualText.color,
    doc: "The colour of the text. A whole number for the alpha of `rgba` counts of 255, a decimal of 1.",
  },
  "overlays.BasicStrategy.string.stroke.color": {
    type: "color",
    default: usualText.strokeColor,
    doc: "The colour of the outline of the text.",
  },
  "overlays.BasicStrategy.string.stroke.width": {
    type: "number",
    default: usualText.strokeWidth,
    min: 0,
    max: overlayBounds.strokeWidth,
    doc: "The width of the outline, in pixels; 0 for none.",
  },
  "overlays.BasicStrategy.string.background.color": {
    type: "color",
    default: usualText.backgroundColor,
    doc: "The colour of a box behind the text, which reaches 5 pixels beyond it; `transparent` for none.",
  },
});

export type OverlaySettings = Settings<typeof overlayKeys>;
