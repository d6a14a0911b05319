import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Raster } from "../formats/shared/index.ts";
import type { Treatment } from "./colour.ts";
import type { Placement } from "./geometry.ts";
import type { Picture } from "./picture.ts";

/** All that the steps of one drawing go by. */
export interface Job {
  readonly plan: Plan;
  readonly page: Page;
  /** What the decoder gave. */
  readonly raster: Pick<Raster, "size" | "covers">;
  readonly placement: Placement;
  readonly treatment: Treatment;
  /** Whether the crop comes out smaller than it is. */
  readonly reduces: boolean;
  /** Whether that happens in linear light. */
  readonly linear: boolean;
  /** Whether libvips may read the raster at a half, a quarter or an eighth; see `Raster.halves`. */
  readonly halves: boolean;
  /** Aborts when nobody waits for the drawing any more. */
  readonly signal: AbortSignal;
}

/** One change to the image; returns its input when it has nothing to do. */
export type Step = (picture: Picture, job: Job) => Picture | Promise<Picture>;
