import type { Rect } from "./geometry.ts";
import type { Mark, Overlay } from "./overlay.ts";

/**
 * What hides parts of a response. It contains only what touches the response, so that two responses
 * with the same pixels share one key.
 */
export interface Cover {
  /** Redactions in whole full-size pixels of the page as stored, inside it; may be empty. */
  readonly redactions: readonly Rect[];
  /** Drawn over the image; absent where no mark touches the response. */
  readonly overlay?: PlacedOverlay;
}

/** An overlay with its marks, in pixels of the response. */
export interface PlacedOverlay extends Pick<Overlay, "key" | "operation"> {
  readonly marks: readonly Mark[];
}
