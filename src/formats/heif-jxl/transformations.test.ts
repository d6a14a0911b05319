import fc from "fast-check";
import { expect, test } from "vitest";
import { toUpright } from "../../core/geometry.ts";
import { type Transformation, visiblePartOf } from "./transformations.ts";

/** An image of numbers, by rows. */
type Picture = readonly (readonly number[])[];

const turned = (picture: Picture, quarters: number): Picture => {
  if (quarters === 0) return picture;
  const [first = []] = picture;
  const once = first.map((_, x) => picture.map((row) => row[x] ?? -1).reverse());
  return turned(once, quarters - 1);
};

const leftRight = (picture: Picture): Picture => picture.map((row) => [...row].reverse());

const cut = (picture: Picture, [x, y, width, height]: readonly number[]): Picture =>
  picture.slice(y, (y ?? 0) + (height ?? 0)).map((row) => row.slice(x, (x ?? 0) + (width ?? 0)));

/** Transformations applied one after the other, pixel by pixel. */
const apply = (picture: Picture, transformation: Transformation): Picture => {
  switch (transformation.kind) {
    case "turn":
      return turned(picture, transformation.quarters);
    case "mirror":
      return transformation.axis === "left-right" ? leftRight(picture) : [...picture].reverse();
    case "crop": {
      const { x, y, width, height } = transformation.within({
        width: picture[0]?.length ?? 0,
        height: picture.length,
      });
      return cut(picture, [x, y, width, height]);
    }
  }
};

const transformation: fc.Arbitrary<Transformation> = fc.oneof(
  fc.record({ kind: fc.constant("turn" as const), quarters: fc.integer({ min: 0, max: 3 }) }),
  fc.record({
    kind: fc.constant("mirror" as const),
    axis: fc.constantFrom("left-right" as const, "top-bottom" as const),
  }),
  fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1)).map(([left, top, less]) => ({
    kind: "crop" as const,
    within: ({ width, height }: { readonly width: number; readonly height: number }) => ({
      x: left,
      y: top,
      width: width - left - less,
      height: height - top - 1,
    }),
  })),
);

test("a combined crop and rotation equals its steps one by one", () => {
  fc.assert(
    fc.property(fc.array(transformation, { maxLength: 3 }), (transformations) => {
      const size = { width: 12, height: 9 };
      const coded = Array.from({ length: size.height }, (_, y) =>
        Array.from({ length: size.width }, (__, x) => y * 100 + x),
      );
      const wanted = transformations.reduce(apply, coded as Picture);
      const { crop, orientation } = visiblePartOf(size, transformations);
      const stored = cut(coded, [crop.x, crop.y, crop.width, crop.height]);
      const { mirror, turns } = toUpright(orientation);
      expect(turned(mirror ? leftRight(stored) : stored, turns)).toEqual(wanted);
    }),
  );
});
