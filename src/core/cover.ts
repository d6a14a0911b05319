import type { Rect } from "./geometry.ts";
import type { Mark, Overlay } from "./overlay.ts";

/**
 * What hides parts of a response. Only what touches the response is in it, so that two responses
 * with the same pixels share one key.
 */
export interface Cover {
  /**
   * Blacked out, in whole full-size pixels of the page as stored, inside it; none where nothing is.
   */
  readonly redactions: readonly Rect[];
  /** Laid over what is drawn; absent where no mark touches the response. */
  readonly overlay?: PlacedOverlay;
}

/** An overlay with its marks, in pixels of the response. */
export interface PlacedOverlay extends Pick<Overlay, "key" | "operation"> {
  readonly marks: readonly Mark[];
}
