import type { Amount } from "../caches/cache.ts";
import type { Size } from "../core/geometry.ts";
import type { Prepared } from "./prepared.ts";

/**
 * Pyramids that the server makes of images that are slow to zoom. A pyramid stands in for one page
 * of one version of an image, for requests that it makes much cheaper.
 */
export interface Pyramids {
  /**
   * What the page's pyramid changes about a request: undefined for nothing, `unknown` where only
   * `find` can tell. Reads nothing.
   */
  cached(prepared: Prepared): PyramidEffect | "unknown" | undefined;
  /**
   * As `cached`, after looking for one. Requests that a pyramid would make cheaper are counted, and
   * have one made in the background. Throws only the signal's reason.
   */
  find(prepared: Prepared, signal: AbortSignal): Promise<PyramidEffect | undefined>;
}

/** The pyramid that is rendered, and how a tile of it, or of one to come, is encoded. */
export type PyramidEffect = Pick<Prepared, "pyramid" | "encoding">;

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

/** A page whose pyramid is made, being made, waiting or refused. */
export interface PyramidRecord {
  readonly identifier: string;
  /** Counted from 1. */
  readonly page: number;
  readonly state: "ready" | "making" | "waiting" | "refused";
  /** Size of the pyramid; ready ones only. */
  readonly bytes?: number;
  /** Size of the upright page in pixels. */
  readonly size?: Size;
  /** Size of the image's file in bytes. */
  readonly sourceBytes?: number;
  /** When it was made, or refused. */
  readonly made?: Date;
  /** When it was last used, to within ten minutes. */
  readonly used?: Date;
  /** Why it was refused. */
  readonly reason?: string;
  /** 0 to 1, while it is being made. */
  readonly progress?: number;
}

/** Which records to list. */
export interface PyramidPage {
  /** The cursor from the previous page; absent for the first page. */
  readonly after?: string;
  /** Maximum number of records, 1 to 1,000. A page may have fewer even if others follow. */
  readonly max: number;
  /** Absent: all. */
  readonly state?: PyramidRecord["state"];
}

/** A page of records. */
export interface PyramidsListed {
  readonly records: readonly PyramidRecord[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** The outcome for the pages of an image. */
export interface PyramidsMade {
  /** Pages whose pyramids were made. */
  readonly made: number;
  /** Pages that already had one. */
  readonly ready: number;
  /** Pages that need none. */
  readonly unneeded: number;
  /** The reasons for refusing the other pages, one sentence each. */
  readonly refused: readonly string[];
}

/** Pyramids as operators see them. */
export interface ManagedPyramids {
  /**
   * Records in a stable order. Those that are waiting or being made in this process come first, on
   * the first page only. Throws `malformed` for an invalid cursor or number.
   */
  list(page: PyramidPage, signal: AbortSignal): Promise<PyramidsListed>;
  /**
   * Makes the missing pyramids of all slow pages of an image, independent of requests, and waits
   * for them; refused pages are retried. `onProgress` gets 0 to 1. Throws failures of reading the
   * image, and `busy` if the queue or the disk is full.
   */
  make(
    identifier: string,
    options: { readonly onProgress?: (share: number) => void },
    signal: AbortSignal,
  ): Promise<PyramidsMade>;
  /** Removes the pyramids of an image, or all, and aborts jobs of this process. */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount>;
}
