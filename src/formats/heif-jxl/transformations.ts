import {
  asStored,
  type Orientation,
  type Rect,
  type Size,
  toUpright,
  upright,
} from "../../core/geometry.ts";

/** A property that changes how an item is displayed (ISO/IEC 23008-12, 6.5.9, 6.5.10, 6.5.12). */
export type Transformation =
  | {
      readonly kind: "turn";
      /** Quarter turns, clockwise: 0 to 3. */
      readonly quarters: number;
    }
  | { readonly kind: "mirror"; readonly axis: "left-right" | "top-bottom" }
  | {
      readonly kind: "crop";
      /** The remaining part of an image of a size, in its pixels. */
      readonly within: (size: Size) => Rect;
    };

/** The displayed part of a coded image, and its rotation. */
export interface VisiblePart {
  /** In coded pixels. */
  readonly crop: Rect;
  readonly orientation: Orientation;
}

/** The combination of transformations on a coded image of a size. */
export const visiblePartOf = (
  size: Size,
  transformations: readonly Transformation[],
): VisiblePart => {
  let crop: Rect = { x: 0, y: 0, ...size };
  let orientation: Orientation = 1;
  for (const transformation of transformations) {
    if (transformation.kind === "crop") {
      const part = asStored(transformation.within(upright(crop, orientation)), crop, orientation);
      crop = { ...part, x: crop.x + part.x, y: crop.y + part.y };
    } else orientation = then(orientation, transformation);
  }
  return { crop, orientation };
};

/** As in Exif: optionally mirrored left to right first, then rotated. */
const then = (
  orientation: Orientation,
  transformation: Exclude<Transformation, { kind: "crop" }>,
): Orientation => {
  const { mirror, turns } = toUpright(orientation);
  if (transformation.kind === "turn")
    return orientationFor(mirror, turns + transformation.quarters);
  // Mirroring a rotated image equals rotating back the mirrored one; mirroring top to bottom adds
  // half a turn.
  return orientationFor(!mirror, (transformation.axis === "left-right" ? 0 : 2) - turns);
};

const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

const orientationFor = (mirror: boolean, quarters: number): Orientation => {
  const turns = ((quarters % 4) + 4) % 4;
  return (
    orientations.find((candidate) => {
      const found = toUpright(candidate);
      return found.mirror === mirror && found.turns === turns;
    }) ?? 1
  );
};
