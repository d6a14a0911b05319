import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Raster } from "../formats/shared/index.ts";
import type { ColourTreatment } from "./colour.ts";
import type { Placement } from "./geometry.ts";
import type { Picture } from "./picture.ts";

/** The inputs of all rendering steps. */
export interface Job {
  readonly plan: Plan;
  readonly page: Page;
  /** The decoder's raster. */
  readonly raster: Pick<Raster, "size" | "covers" | "tiff">;
  readonly placement: Placement;
  readonly treatment: ColourTreatment;
  /** Whether the crop is downscaled. */
  readonly reduces: boolean;
  /** Whether that happens in linear light. */
  readonly linear: boolean;
  /** Whether libvips may read the raster at a half, a quarter or an eighth; see `Raster.halves`. */
  readonly halves: boolean;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** One change to the image; returns its input when it has nothing to do. */
export type Step = (picture: Picture, job: Job) => Picture | Promise<Picture>;
