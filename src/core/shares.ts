/**
 * Memory shares of parts of the server, in bytes: the default of each key that names its share. Per
 * worker, unless stated otherwise.
 */
export interface Shares {
  /** Renders, in all workers together. */
  readonly drawing: number;
  /** One decoded image. */
  readonly decoded: number;
  /** All threads and processes that decode and encode, with their caches. */
  readonly threads: number;
  /**
   * Caches of a thread that renders tiles or decodes JPEG 2000; one thread of each has this in
   * addition to the shared ones.
   */
  readonly thread: number;
  /** Maximum memory of one thread for PDFium, libheif or an encoder. */
  readonly decoder: number;
  /** Memory of a process that renders SVG. */
  readonly svg: number;
  /** Memory of one run of ffmpeg. */
  readonly video: number;
  /** Caches of image infos, TIFF structures and JPEG 2000 indexes. */
  readonly infos: number;
  readonly structure: number;
  readonly index: number;
  /**
   * Decoded TIFF tiles, overviews of untiled images, JPEG 2000 blocks and pixels, PDF pages, and video
   * frames.
   */
  readonly tiles: number;
  readonly overviews: number;
  readonly blocks: number;
  readonly pixels: number;
  readonly pages: number;
  readonly frames: number;
  /** Cached ranges of remote files. */
  readonly remote: number;
  /** Derivatives, in all workers together. */
  readonly derivatives: number;
  /** Derivatives queued for writing to a cache outside the process. */
  readonly writing: number;
  /** Responses that clients have yet to receive. */
  readonly answers: number;
}

/** The name of a share. */
export type ShareName = keyof Shares;

const mega = 2 ** 20;

/** Used without a budget: part of what a worker has on a machine with 4 GB. */
export const usualShares: Shares = {
  drawing: 512 * mega,
  decoded: 512 * mega,
  threads: 1_024 * mega,
  thread: 64 * mega,
  decoder: 512 * mega,
  svg: 512 * mega,
  video: 1_024 * mega,
  infos: 32 * mega,
  structure: 64 * mega,
  index: 64 * mega,
  tiles: 32 * mega,
  overviews: 64 * mega,
  blocks: 128 * mega,
  pixels: 32 * mega,
  pages: 64 * mega,
  frames: 128 * mega,
  remote: 64 * mega,
  derivatives: 256 * mega,
  writing: 64 * mega,
  answers: 64 * mega,
};
