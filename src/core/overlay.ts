import type { Rect, Size } from "./geometry.ts";

/** What is laid over an image once all else is drawn, such as a watermark. */
export interface Overlay {
  /**
   * Everything that the marks depend on besides the canvas: part of the derivative's key and its
   * ETag. Any length; hashed.
   */
  readonly key: string;
  /**
   * What a viewer's tile is a part of. `page`: the whole page at the tile's scale, so that tiles
   * join into one image with the marks laid over it once; any other region is an image of its
   * own. `response`: every response is, tiles included, as in Cantaloupe.
   */
  readonly placed: "page" | "response";
  /** As a delegate finds it in `context.operations`, with its `class`. */
  readonly operation: Readonly<Record<string, unknown>>;
  /**
   * The marks of a canvas, the lowest first; of the same key and canvas always the same. Asked for
   * every request, also where its answer is cached, so it must be cheap: pixels are drawn by
   * `Mark.pixels`. What it throws fails the request.
   */
  marks(canvas: Canvas, signal: AbortSignal): readonly Mark[] | Promise<readonly Mark[]>;
}

/** The image that an overlay is laid over, as it is seen: scaled, mirrored and rotated. */
export interface Canvas {
  /** Of the whole image, in pixels. */
  readonly size: Size;
  /**
   * The part of it that the response shows, in pixels of the whole; all of it unless the response
   * is a tile of a page.
   */
  readonly shown: Rect;
}

/**
 * A rectangle of pixels on a canvas: whole pixels of the canvas, perhaps partly beyond it or what
 * is shown.
 */
export interface Mark extends Rect {
  /**
   * The pixels of a part of the mark, which is given in pixels of the mark and lies inside it: red,
   * green, blue and alpha (0 to 255, not premultiplied), row by row without padding. Asked for only
   * what a response shows, when it is drawn.
   */
  pixels(part: Rect, signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
}
