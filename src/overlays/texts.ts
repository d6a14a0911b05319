import { LRUCache } from "lru-cache";
import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import type { Mark } from "../core/overlay.ts";
import type { StringOverlay } from "../core/overlay-description.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { cut } from "./pixels.ts";
import { placeOn, within } from "./placing.ts";
import { isDrawable } from "./text-mask.ts";
import { drawText, paddingOf, type TextPicture } from "./text-picture.ts";

/** Maximum bytes of all cached ones. */
const maxBytes = 32 * 2 ** 20;
const maxTexts = 1_024;

type Measure = { readonly size: number; readonly width?: number };

/** Rendered and cached texts of overlays. */
export class OverlayTexts {
  readonly #flights = new SingleFlight<TextPicture>();
  readonly #kept = new LRUCache<string, TextPicture>({
    max: maxTexts,
    maxSize: maxBytes,
    sizeCalculation: ({ data }) => data.byteLength + 1_024,
  });

  /** The mark of a text on a canvas; undefined where it has no room even at its minimum size. */
  async markOf(
    overlay: StringOverlay,
    canvas: Size,
    signal: AbortSignal,
  ): Promise<Mark | undefined> {
    const picture = await this.#fitting(overlay, within(canvas, overlay.inset), signal);
    if (picture === undefined) return undefined;
    const { margin } = picture;
    const box = boxOf(picture);
    const { x, y } = placeOn(canvas, box, overlay);
    return {
      x: x - margin,
      y: y - margin,
      width: picture.width,
      height: picture.height,
      pixels: (part) => cut(picture, part),
    };
  }

  async #fitting(
    overlay: StringOverlay,
    room: Size,
    signal: AbortSignal,
  ): Promise<TextPicture | undefined> {
    const padding = paddingOf(overlay);
    const inside = { width: room.width - padding, height: room.height - padding };
    if (overlay.wordWrap) return this.#wrapped(overlay, { room, inside }, signal);
    let size: number = overlay.fontSize;
    const min = Math.min(size, overlay.fontMinSize);
    while (size >= min) {
      const picture = await this.#draw(overlay, { size }, signal);
      if (picture && fits(picture, room)) return picture;
      if (picture === undefined && size - 1 < min) return tooLarge();
      size = picture ? nextSize(size, picture, { inside, padding }) : size - 1;
    }
    return undefined;
  }

  async #wrapped(
    overlay: StringOverlay,
    { room, inside }: { readonly room: Size; readonly inside: Size },
    signal: AbortSignal,
  ): Promise<TextPicture | undefined> {
    let width = Math.min(inside.width, widest);
    for (let attempt = 0; attempt < maxAttempts && width >= 1; attempt++) {
      const picture = await this.#draw(overlay, { size: overlay.fontSize, width }, signal);
      if (picture === undefined) return tooLarge();
      if (fits(picture, room)) return picture;
      const excess = boxOf(picture).width - room.width;
      if (excess <= 0) return undefined;
      width -= excess;
    }
    return undefined;
  }

  /** Undefined where that would take too many pixels. */
  async #draw(
    overlay: StringOverlay,
    measure: Measure,
    signal: AbortSignal,
  ): Promise<TextPicture | undefined> {
    if (!isDrawable({ ...overlay, ...measure })) return undefined;
    const { inset: _, fontMinSize: __, ...look } = overlay;
    const key = JSON.stringify([look, measure]);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    return this.#flights.run(key, signal, async () => {
      const drawn = await drawText(overlay, measure);
      this.#kept.set(key, drawn);
      return drawn;
    });
  }
}

/** Maximum pixels to request from Pango. */
const widest = 32_767;

/** Letters may extend a pixel or two beyond the width of their line. */
const maxAttempts = 3;

const boxOf = ({ width, height, margin }: TextPicture): Size => ({
  width: width - 2 * margin,
  height: height - 2 * margin,
});

const fits = (picture: TextPicture, room: Size): boolean => {
  const box = boxOf(picture);
  return box.width <= room.width && box.height <= room.height;
};

/** The size to try next: width is proportional to height, so that most sizes need not be tried. */
const nextSize = (
  size: number,
  picture: TextPicture,
  { inside, padding }: { readonly inside: Size; readonly padding: number },
): number => {
  const box = boxOf(picture);
  const factor = Math.min(
    inside.width / (box.width - padding),
    inside.height / (box.height - padding),
  );
  // Hinting changes the width of letters slightly.
  return Math.max(0, Math.min(size - 1, Math.floor(size * factor) + 2));
};

const tooLarge = (): never =>
  fail(
    "internal",
    "The text of an overlay would take too many pixels. Choose a smaller font, or less text.",
  );
