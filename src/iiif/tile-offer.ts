import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import type { Tiling } from "./sizes.ts";
import type { Version } from "./version.ts";
import { versions } from "./versions.ts";

/** The sizes and tiles that an info.json of any version offers. */
export interface TileOffer extends Size {
  readonly version: Version["number"];
  /** Of the full region; none in version 1. */
  readonly sizes: readonly Size[];
  /** Empty if only `sizes` are offered. */
  readonly tiles: readonly Tiling[];
  /** Whether only the listed sizes and tiles may be requested (compliance level 0). */
  readonly isLevel0: boolean;
  /** `preferredFormats` (3.0 §5.6), as file extensions. */
  readonly preferredFormats: readonly string[];
}

/**
 * Reads sizes and tiles from an info.json of any version; throws `malformed` if it has no known
 * `@context`, or impossible values.
 */
export const readTileOffer = (info: unknown): TileOffer => {
  const fields = recordOf(info);
  const version = versionOf(fields["@context"]);
  return {
    version,
    width: side(fields["width"], "width"),
    height: side(fields["height"], "height"),
    sizes: listOf(fields["sizes"]).map((size) => sizeOf(recordOf(size), "sizes")),
    tiles: version === 1 ? firstTiling(fields) : listOf(fields["tiles"]).map(tilingOf),
    isLevel0: isLevel0(fields["profile"]),
    preferredFormats: listOf(fields["preferredFormats"]).filter(
      (format) => typeof format === "string",
    ),
  };
};

type Fields = Readonly<Record<string, unknown>>;

const versionOf = (context: unknown): Version["number"] => {
  const contexts: readonly unknown[] = Array.isArray(context) ? context : [context];
  return (
    versions.find((version) => contexts.includes(version.context))?.number ??
    fail("malformed", "info.json: expected the @context of version 1.1, 2 or 3 of the Image API")
  );
};

/** 1.1 §5 has one tile size for all scale factors. */
const firstTiling = (fields: Fields): readonly Tiling[] => {
  const { tile_width: width, tile_height: height, scale_factors: scaleFactors } = fields;
  const some = width ?? height;
  if (some === undefined || scaleFactors === undefined) return [];
  return [tilingOf({ width: some, height: height ?? some, scaleFactors })];
};

/** A missing height equals the width (2.1 §5.3, 3.0 §5.4). */
const tilingOf = (tiling: unknown): Tiling => {
  const fields = recordOf(tiling);
  const { width, height = width } = fields;
  return {
    ...sizeOf({ width, height }, "tiles"),
    scaleFactors: listOf(fields["scaleFactors"]).map((factor) => side(factor, "scaleFactors")),
  };
};

const sizeOf = ({ width, height }: Fields, where: string): Size => ({
  width: side(width, where),
  height: side(height, where),
});

/** A length in pixels. */
const side = (value: unknown, name: string): number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxSide
    ? Number(value)
    : fail("malformed", `info.json: expected whole numbers from 1 to ${maxSide} in ${name}`);

/** No image is larger, and it limits the number of levels. */
const maxSide = 2 ** 31;

const isLevel0 = (profile: unknown): boolean => {
  const first: unknown = Array.isArray(profile) ? profile[0] : profile;
  return typeof first === "string" && /level0(?:\.json)?$/.test(first);
};

const recordOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : fail("malformed", "info.json: expected an object");

const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : fail("malformed", "info.json: expected a list");
};
