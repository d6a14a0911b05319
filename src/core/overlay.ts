import type { Rect, Size } from "./geometry.ts";

/** Something drawn over an image at the end, such as a watermark. */
export interface Overlay {
  /**
   * Everything that the marks depend on besides the canvas: part of the derivative's key and its
   * ETag. Any length; hashed.
   */
  readonly key: string;
  /**
   * What a tile is a part of. `page`: the whole page at the tile's scale, so that joined tiles show
   * the marks once; any other region is an image of its own. `response`: every response, including
   * tiles, is an image of its own, as in Cantaloupe.
   */
  readonly placed: "page" | "response";
  /** Its entry in a delegate's `context.operations`, with its `class`. */
  readonly operation: Readonly<Record<string, unknown>>;
  /**
   * The marks of a canvas, lowest first; always the same for the same key and canvas. Called for
   * every request, also for cached responses, so it must be cheap: pixels come from `Mark.pixels`.
   * An exception fails the request.
   */
  marks(canvas: Canvas, signal: AbortSignal): readonly Mark[] | Promise<readonly Mark[]>;
}

/**
 * The image that an overlay is drawn over, as the viewer shows it: scaled, mirrored and rotated.
 */
export interface Canvas {
  /** Size of the whole image in pixels. */
  readonly size: Size;
  /**
   * The part of it that the response shows, in pixels of the whole; all of it unless the response
   * is a tile of a page.
   */
  readonly shown: Rect;
}

/**
 * A rectangle on a canvas, in whole pixels of the canvas; may extend beyond it or beyond the
 * visible part.
 */
export interface Mark extends Rect {
  /**
   * The pixels of a part of the mark, given in pixels of the mark and inside it: red, green, blue
   * and alpha (0 to 255, not premultiplied), row by row without padding. Called on rendering, only
   * for visible parts.
   */
  pixels(part: Rect, signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
}
