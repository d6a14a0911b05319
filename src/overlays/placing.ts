import type { Rect, Size } from "../core/geometry.ts";
import { type Position, positions } from "../core/overlay-description.ts";

/**
 * The position of something of a size on a canvas; may extend beyond it where it is larger. Centred
 * axes have no inset.
 */
export const placeOn = (
  canvas: Size,
  size: Size,
  { position, inset }: { readonly position: Position; readonly inset: number },
): Rect => {
  const side = positions[position];
  const isCorner = side.length <= 2;
  const x =
    isCorner && side.includes("W")
      ? inset
      : isCorner && side.includes("E")
        ? canvas.width - size.width - inset
        : Math.floor((canvas.width - size.width) / 2);
  const y =
    isCorner && side.includes("N")
      ? inset
      : isCorner && side !== "C" && side.startsWith("S")
        ? canvas.height - size.height - inset
        : Math.floor((canvas.height - size.height) / 2);
  return { x, y, width: size.width, height: size.height };
};

/** The rest of a canvas inside an inset; at least one pixel. */
export const within = ({ width, height }: Size, inset: number): Size => ({
  width: Math.max(1, width - 2 * inset),
  height: Math.max(1, height - 2 * inset),
});

/** The largest size of the same aspect ratio that fits, in whole pixels. */
export const fitted = (size: Size, room: Size): Size => {
  const factor = Math.min(room.width / size.width, room.height / size.height);
  return {
    width: Math.min(room.width, Math.max(1, Math.round(size.width * factor))),
    height: Math.min(room.height, Math.max(1, Math.round(size.height * factor))),
  };
};
