import type { FormatName } from "./formats.ts";
import type { Rect, Size } from "./geometry.ts";
import type { MetaIdentifier } from "./identifier.ts";

/** The `region` segment, as written. Percent values are 0 to 100 and beyond. */
export type Region =
  | { readonly kind: "full" | "square" }
  | { readonly kind: "pixels" | "percent"; readonly rect: Rect };

/**
 * The `size` segment, as written. `upscale`: whether the URL (3.0: `^`) or the version (1.1, 2.1)
 * allows enlarging; `asked`: set where it is the URL, so that what need not grow still may.
 */
export type SizeSpec = { readonly upscale: boolean; readonly asked?: true } & (
  | { readonly kind: "full" | "max" }
  | { readonly kind: "percent"; readonly percent: number }
  | { readonly kind: "width"; readonly width: number }
  | { readonly kind: "height"; readonly height: number }
  | ({ readonly kind: "exact" | "within" } & Size)
);

/** The shared words for quality; each version spells them its own way. */
export type Quality = "default" | "color" | "gray" | "bitonal";

/** One image request, in the words shared by all three versions of the API. */
export interface ImageRequest {
  readonly id: MetaIdentifier;
  readonly region: Region;
  readonly size: SizeSpec;
  readonly mirror: boolean;
  /** Degrees clockwise, 0 to 360. */
  readonly rotation: number;
  readonly quality: Quality;
  readonly format: FormatName;
  /** How large the image is allowed to the caller; absent: as large as settings say. */
  readonly confinement?: Confinement;
}

/** How large a whole image may be; regions of it may have the same resolution and no finer one. */
export interface Confinement {
  /** Pixels of the longer side; absent for any. */
  readonly side?: number;
  /** Pixels in all; absent for any. */
  readonly area?: number;
}
