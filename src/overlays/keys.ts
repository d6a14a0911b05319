import { defineKeys, type Settings } from "../config/keys.ts";
import { overlayBounds, usualText } from "../core/overlay-description.ts";

const inString = "`overlays.BasicStrategy.type = string`";

/** Keys of overlays. */
export const overlayKeys = defineKeys({
  "overlays.strategy": {
    type: "choice",
    choices: ["BasicStrategy", "ScriptStrategy"],
    default: "BasicStrategy",
    doc: "Where overlays come from: `BasicStrategy` has the same for all images, as set by the other keys; `ScriptStrategy` calls `overlay` of the delegate for every image request.",
  },
  "overlays.placement": {
    type: "choice",
    choices: ["page", "response"],
    default: "page",
    cantaloupe: "response",
    doc: "What overlays are positioned on. `page`: a tile is part of the whole image at its scale, which has the overlay once, so that tiles join in a viewer; any other region is an image of its own. `response`: every response has the overlay, each tile included.",
  },
  "overlays.BasicStrategy.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether `BasicStrategy` draws overlays. If something it needs is unavailable, such as the overlay's file, image requests end with 500.",
  },
  "overlays.BasicStrategy.type": {
    type: "choice",
    choices: ["", "image", "string"],
    default: "",
    doc: "Kind of overlay: `image` or `string`. Required where `overlays.BasicStrategy.enabled` is set.",
  },
  "overlays.BasicStrategy.image": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "The overlay image (PNG, WebP, TIFF, GIF or JPEG; up to 4 megapixels): a path, or a URL of `file:`, `http:` or `https:`. It is checked every second, or as long as the web server's Cache-Control says.",
  },
  "overlays.BasicStrategy.position": {
    type: "string",
    default: "",
    doc: "Position of the overlay: `top left`, `top center`, `top right`, `left center`, `center`, `right center`, `bottom left`, `bottom center` or `bottom right`; images also `repeat` (all over the image) or `scaled` (as large as fits).",
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
    doc: "Images narrower than this, in pixels of the output, have no overlay. With `overlays.placement = page` a tile counts as the whole image at its scale.",
  },
  "overlays.BasicStrategy.output_height_threshold": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Images less high than this have no overlay; as for the width.",
  },
  "overlays.BasicStrategy.string": {
    type: "string",
    default: "",
    doc: `The text that is laid over images with ${inString}, of at most ${overlayBounds.string} characters; \`\\n\` begins a line.`,
  },
  "overlays.BasicStrategy.string.font": {
    type: "string",
    default: usualText.font,
    doc: "Font family, as the system has it (`fc-list` lists them), or SansSerif, Serif or Monospaced. If the system has no such font, its default is used.",
  },
  "overlays.BasicStrategy.string.font.size": {
    type: "integer",
    default: usualText.fontSize,
    min: 1,
    max: overlayBounds.fontSize,
    doc: "Font size in pixels per em.",
  },
  "overlays.BasicStrategy.string.font.min_size": {
    type: "integer",
    default: usualText.fontMinSize,
    min: 1,
    max: overlayBounds.fontSize,
    doc: "Smallest font size: the size shrinks to it, a pixel at a time, where the text is too large for the image. Images too small even then have no overlay.",
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
    doc: "Extra space between glyphs, in ems.",
  },
  "overlays.BasicStrategy.string.color": {
    type: "color",
    default: usualText.color,
    doc: "Colour of the text. The alpha of `rgba` is out of 255 as a whole number, out of 1 as a decimal.",
  },
  "overlays.BasicStrategy.string.stroke.color": {
    type: "color",
    default: usualText.strokeColor,
    doc: "Colour of the outline of the text.",
  },
  "overlays.BasicStrategy.string.stroke.width": {
    type: "number",
    default: usualText.strokeWidth,
    min: 0,
    max: overlayBounds.strokeWidth,
    doc: "Width of the outline, in pixels; 0 for none.",
  },
  "overlays.BasicStrategy.string.background.color": {
    type: "color",
    default: usualText.backgroundColor,
    doc: "Colour of a box behind the text, 5 pixels larger than it; `transparent` for none.",
  },
});

export type OverlaySettings = Settings<typeof overlayKeys>;
