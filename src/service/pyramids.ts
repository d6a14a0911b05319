import type { PagePyramid, Prepared } from "./prepared.ts";

/**
 * Pyramids that the server makes of images that are slow to zoom. A pyramid stands in for one page
 * of one version of an image, for requests that it makes much cheaper.
 */
export interface Pyramids {
  /**
   * The pyramid for a request: undefined where none is needed or none exists, `unknown` where only
   * `find` can tell. Reads nothing.
   */
  cached(prepared: Prepared): PagePyramid | "unknown" | undefined;
  /**
   * As `cached`, after looking for one. Requests that a pyramid would make cheaper are counted, and
   * have one made in the background. Throws only the signal's reason.
   */
  find(prepared: Prepared, signal: AbortSignal): Promise<PagePyramid | undefined>;
}

/** What is known of the pyramid of a page. */
export type PyramidState =
  /** Zooming into the page is fast enough. */
  | { readonly kind: "unneeded" }
  /** There is none; `share` is how close requests have come to having one made, 0 to 1. */
  | { readonly kind: "absent"; readonly share: number }
  /** It is being made, or will be. */
  | { readonly kind: "pending" }
  | { readonly kind: "ready"; readonly bytes: number }
  /** Making it failed. */
  | { readonly kind: "refused"; readonly reason: string };
