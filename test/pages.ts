import fc from "fast-check";
import { Config, type Snapshot } from "../src/config/store.ts";
import type { Orientation, Size } from "../src/core/geometry.ts";
import { type Constraint, type MetaIdentifier, unconstrained } from "../src/core/identifier.ts";
import type { ImageInfo, Page } from "../src/core/info.ts";
import { type Limits, limitKeys } from "../src/iiif/limits.ts";

/** A colour page without tiles or levels, unless stated otherwise. */
export const pageOf = (width: number, height: number, facts: Partial<Page> = {}): Page => {
  const size = { width, height };
  return {
    size,
    orientation: 1,
    levels: [{ size, tile: size }],
    colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
    ...facts,
  };
};

/** Levels of a page, each half the one before, all with the same tile. */
export const pyramid = (size: Size, tile: Size, count: number): Page["levels"] => {
  const level = (n: number) => ({
    size: { width: Math.ceil(size.width / 2 ** n), height: Math.ceil(size.height / 2 ** n) },
    tile,
  });
  return [level(0), ...Array.from({ length: count - 1 }, (_, n) => level(n + 1))];
};

export const infoOf = (...pages: [Page, ...Page[]]): ImageInfo => ({ format: "tif", pages });

/** The default limits, with some changed. */
export const limitsOf = (values: Snapshot = {}): Limits => new Config(values).view(limitKeys)();

export const idOf = (constraint: Constraint = unconstrained, page = 1): MetaIdentifier => ({
  identifier: "map.tif",
  page,
  constraint,
});

const side = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 9000 }),
  fc.constantFrom(256, 512, 1000, 1024, 6000),
);

/** Pages of all shapes, tiled and not, with pyramids and without, in every orientation. */
export const anyPage: fc.Arbitrary<Page> = fc
  .record({
    width: side,
    height: side,
    orientation: fc.integer({ min: 1, max: 8 }) as fc.Arbitrary<Orientation>,
    tile: fc.option(
      fc.record({
        width: fc.constantFrom(64, 100, 128, 256, 1024),
        height: fc.constantFrom(64, 200, 256, 512),
      }),
    ),
    levels: fc.integer({ min: 1, max: 5 }),
    model: fc.constantFrom("grey" as const, "rgb" as const, "cmyk" as const),
  })
  .map(({ width, height, orientation, tile, levels, model }) =>
    pageOf(width, height, {
      orientation,
      levels: pyramid({ width, height }, tile ?? { width, height }, tile === null ? 1 : levels),
      colour: { bits: 8, model, alpha: false, profile: "none" },
    }),
  );

export const anyConstraint: fc.Arbitrary<Constraint> = fc.oneof(
  fc.constant(unconstrained),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }))
    .map(([numerator, more]) => ({ numerator, denominator: numerator + more })),
);

/** Limits of all kinds: none, tight, below full size, with and without enlarging. */
export const anyLimits: fc.Arbitrary<Limits> = fc
  .record({
    max_pixels: fc.constantFrom(0, 10_000_000, 300_000, 5_000),
    max_scale: fc.constantFrom(0, 1, 1.5, 4, 0.5, 0.3),
    "endpoint.iiif.min_size": fc.constantFrom(1, 64, 200),
    "endpoint.iiif.min_tile_size": fc.constantFrom(1, 256, 512, 700),
    "endpoint.iiif.restrict_to_sizes": fc.constantFrom(false, false, false, true),
    "endpoint.iiif.scale_reference": fc.constantFrom("region", "image"),
    "endpoint.iiif.3.confined_size": fc.constantFrom("clamp", "refuse"),
  })
  .map(limitsOf);
