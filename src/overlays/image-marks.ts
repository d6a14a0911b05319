import type { Size } from "../core/geometry.ts";
import type { Mark } from "../core/overlay.ts";
import type { ImageOverlay } from "../core/overlay-description.ts";
import { type OverlayPicture, reduced } from "./pictures.ts";
import { cut, enlarged, type Pixels, tiled } from "./pixels.ts";
import { fitted, placeOn, within } from "./placing.ts";

/** The mark of an image on a canvas. */
export const markOfImage = (
  picture: OverlayPicture,
  { position, inset }: ImageOverlay,
  canvas: Size,
): Mark => {
  if (position === "repeat") {
    const origin = placeOn(canvas, picture, { position: "center", inset: 0 });
    return { x: 0, y: 0, ...canvas, pixels: (part) => tiled(picture, part, origin) };
  }
  if (position !== "scaled")
    return {
      ...placeOn(canvas, picture, { position, inset }),
      pixels: (part) => cut(picture, part),
    };
  const size = fitted(picture, within(canvas, inset));
  const place = placeOn(canvas, size, { position: "center", inset: 0 });
  if (size.width > picture.width || size.height > picture.height)
    return { ...place, pixels: (part) => enlarged(picture, size, part) };
  let whole: Promise<Pixels> | undefined;
  return {
    ...place,
    async pixels(part) {
      whole ??= reduced(picture, size);
      return cut(await whole, part);
    },
  };
};
