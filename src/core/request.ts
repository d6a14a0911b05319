import type { FormatName } from "./formats.ts";
import type { Rect, Size } from "./geometry.ts";
import type { MetaIdentifier } from "./identifier.ts";

/** The `region` segment, as written. Percent values are 0 to 100 and beyond. */
export type Region =
  | { readonly kind: "full" | "square" }
  | { readonly kind: "pixels" | "percent"; readonly rect: Rect };

/**
 * The `size` segment, as written. `upscale`: whether the URL (3.0: `^`) or the version (1.1, 2.1)
 * allows enlarging; `asked`: set where the URL does, which allows but does not require it.
 */
export type SizeSpec = { readonly upscale: boolean; readonly asked?: true | undefined } & (
  | { readonly kind: "full" | "max" }
  | { readonly kind: "percent"; readonly percent: number }
  | { readonly kind: "width"; readonly width: number }
  | { readonly kind: "height"; readonly height: number }
  | ({ readonly kind: "exact" | "within" } & Size)
);

/** Qualities common to all versions; each version spells them its own way. */
export type Quality = "default" | "color" | "gray" | "bitonal";

/** An image request in terms common to all three versions of the API. */
export interface ImageRequest {
  readonly id: MetaIdentifier;
  readonly region: Region;
  readonly size: SizeSpec;
  readonly mirror: boolean;
  /** Degrees clockwise, 0 to 360. */
  readonly rotation: number;
  readonly quality: Quality;
  readonly format: FormatName;
  /** Maximum size of the image for this client; absent: as large as settings allow. */
  readonly confinement?: Confinement;
}

/** Maximum size of a whole image; regions of it may have the same resolution and no finer one. */
export interface Confinement {
  /** Pixels of the longer side; absent for no limit. */
  readonly side?: number;
  /** Number of pixels; absent for no limit. */
  readonly area?: number;
}
