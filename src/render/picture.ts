import type { Sharp } from "sharp";
import type { Rect, Size } from "../core/geometry.ts";

/**
 * Operations that a pipeline can have pending, in the order in which sharp executes them whatever
 * the order of calls.
 */
export const operations = [
  "cut",
  "scale",
  "mirror",
  "turn",
  "window",
  "extend",
  "threshold",
  "luma",
  "sharpen",
] as const;

export type Operation = (typeof operations)[number];

/** How pixels are interpreted and written: their colour space, and whether their profile stays. */
export interface Colouring {
  readonly space: "srgb" | "b-w" | "rgb16" | "grey16";
  readonly keepsProfile: boolean;
}

/** A raster on its way to the response. */
export interface Picture {
  readonly image: Sharp;
  /** Its size once all pending operations are done. */
  readonly size: Size;
  /** The last operation requested of sharp and not executed yet. */
  readonly pending?: Operation;
  readonly look: Colouring;
  /** The part still to be cut out, in its present coordinates. */
  readonly rest?: RemainingResize;
}

/** What is left to do to a scaled raster to reach the requested size. */
export interface RemainingResize {
  /** The requested part with its apron. */
  readonly window: Rect;
  /** Columns and rows of the window that are missing and repeat their neighbours. */
  readonly beyond: Edges;
  /** The requested part without the apron; in pixels of the window with its edges. */
  readonly inner: Rect;
}

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
