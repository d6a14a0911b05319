/**
 * What parts of the server may hold in memory, in bytes: the value of a key that names its share
 * and is not set. Of each worker, unless something else is said.
 */
export interface Shares {
  /** Drawing, in all workers together. */
  readonly drawing: number;
  /** One image once it is decoded. */
  readonly decoded: number;
  /** All threads and processes that decode, draw and encode, with what they keep. */
  readonly threads: number;
  /**
   * What a thread keeps that draws tiles or decodes JPEG 2000; one of each has it beside all
   * others.
   */
  readonly thread: number;
  /** What one thread takes at most of PDFium's memory, or libheif's, or that of an encoder. */
  readonly decoder: number;
  /** What one process that draws SVG takes. */
  readonly svg: number;
  /** What one run of ffmpeg takes. */
  readonly video: number;
  /**
   * What is remembered of images, of the structure of TIFFs, and of where the parts of JPEG 2000
   * files are.
   */
  readonly infos: number;
  readonly structure: number;
  readonly index: number;
  /**
   * Decoded tiles of TIFFs, blocks and pixels of JPEG 2000, pages of PDF documents, and frames of
   * videos.
   */
  readonly tiles: number;
  readonly blocks: number;
  readonly pixels: number;
  readonly pages: number;
  readonly frames: number;
  /** Parts of files of remote sources. */
  readonly remote: number;
  /** Finished images, in all workers together. */
  readonly derivatives: number;
  /** Finished images that have still to be written to a cache outside the process. */
  readonly writing: number;
  /** Answers that clients have still to fetch. */
  readonly answers: number;
}

/** The name of a share. */
export type ShareName = keyof Shares;

const mega = 2 ** 20;

/**
 * What holds where nobody has divided any memory: some of what a worker has on a machine of 4 GB.
 */
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
  blocks: 128 * mega,
  pixels: 32 * mega,
  pages: 64 * mega,
  frames: 128 * mega,
  remote: 64 * mega,
  derivatives: 256 * mega,
  writing: 64 * mega,
  answers: 64 * mega,
};
