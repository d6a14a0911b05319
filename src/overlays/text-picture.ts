import { type Color, parseColor } from "../config/color.ts";
import type { StringOverlay } from "../core/overlay-description.ts";
import type { Pixels } from "./pixels.ts";
import { type Coverage, grown, outlined } from "./stroke.ts";
import { maskOf, type TextLook } from "./text-mask.ts";

/** A text as an image. */
export interface TextPicture extends Pixels {
  /** Pixels on every side outside the box that is placed: outlines may reach beyond it. */
  readonly margin: number;
}

/** Pixels between a text and the edges of the box behind it. */
const boxPadding = 5;

/** Draws a text with its outline and the box behind it. Throws as `maskOf` does. */
export const drawText = async (
  overlay: StringOverlay,
  look: Pick<TextLook, "size" | "width">,
): Promise<TextPicture> => {
  const background = parseColor(overlay.backgroundColor);
  const fill = parseColor(overlay.color);
  const strokeWidth = overlay.strokeWidth > minStroke ? overlay.strokeWidth : 0;
  const padding = background.alpha > 0 ? boxPadding : 0;
  const reach = strokeWidth > 0 ? Math.ceil(strokeWidth / 2) + 1 : 0;
  const margin = Math.max(0, reach - padding);
  const mask = await maskOf({ ...overlay, ...look });
  const text = bordered(mask, padding + margin);
  const picture = {
    width: text.width,
    height: text.height,
    data: new Uint8Array(text.width * text.height * 4),
  };
  if (padding > 0) lay(picture, box(text, margin), background);
  if (strokeWidth > 0)
    lay(
      picture,
      // Opaque text hides the inner half.
      fill.alpha === 255 ? grown(text, strokeWidth / 2) : outlined(text, strokeWidth),
      parseColor(overlay.strokeColor),
    );
  lay(picture, text, fill);
  return { ...picture, margin };
};

/** Thinner outlines are not drawn, as in Cantaloupe. */
const minStroke = 0.001;

/** The box's size beyond its letters, in pixels of both sides together. */
export const paddingOf = ({ backgroundColor }: StringOverlay): number =>
  parseColor(backgroundColor).alpha > 0 ? 2 * boxPadding : 0;

const bordered = ({ data, width, height }: Coverage, border: number): Coverage => {
  const size = { width: width + 2 * border, height: height + 2 * border };
  const into = new Uint8Array(size.width * size.height);
  for (let y = 0; y < height; y++)
    into.set(data.subarray(y * width, (y + 1) * width), (y + border) * size.width + border);
  return { ...size, data: into };
};

/** Everything but a margin. */
const box = ({ width, height }: Coverage, margin: number): Coverage => {
  const inside = { width: width - 2 * margin, height: height - 2 * margin };
  const data = new Uint8Array(inside.width * inside.height).fill(255);
  return bordered({ ...inside, data }, margin);
};

/** Paints a colour over an image by its coverage. */
const lay = ({ data }: Pixels, coverage: Coverage, { red, green, blue, alpha }: Color): void => {
  const colour = [red, green, blue];
  coverage.data.forEach((covered, n) => {
    const over = (covered / 255) * (alpha / 255);
    if (over === 0) return;
    const at = n * 4;
    const under = ((data[at + 3] as number) / 255) * (1 - over);
    for (let c = 0; c < 3; c++)
      data[at + c] = Math.round(
        ((colour[c] as number) * over + (data[at + c] as number) * under) / (over + under),
      );
    data[at + 3] = Math.round((over + under) * 255);
  });
};
