import type { Sharp } from "sharp";
import type { Rect, Size } from "../core/geometry.ts";

/**
 * What a pipeline can have pending, in the order in which sharp carries it out whatever the order
 * of calls.
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

/**
 * How pixels are to be understood and kept: the colour space they are in, and whether their profile
 * stays.
 */
export interface Colouring {
  readonly space: "srgb" | "b-w" | "rgb16" | "grey16";
  readonly keepsProfile: boolean;
}

/** A raster on its way to being the answer. */
export interface Picture {
  readonly image: Sharp;
  /** Once all that is pending is done. */
  readonly size: Size;
  /** The last thing asked of sharp and not yet done. */
  readonly pending?: Operation;
  readonly look: Colouring;
  /** What is still to be taken out of it, in its present frame. */
  readonly rest?: Rest;
}

/** What is left to do to a scaled raster until its size is the one asked for. */
export interface Rest {
  /** The part that is wanted, apron and all. */
  readonly window: Rect;
  /**
   * The window's columns and rows that are not there and are made by repeating their neighbours.
   */
  readonly beyond: Edges;
  /**
   * What is wanted once later steps have seen the apron; in pixels of the window with its edges.
   */
  readonly inner: Rect;
}

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
