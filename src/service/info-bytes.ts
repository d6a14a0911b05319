import type { ImageInfo } from "../core/info.ts";

/** What the info of an image takes in memory, in bytes, estimated from its pages and levels. */
export const bytesOfInfo = ({ pages }: ImageInfo): number =>
  pages.reduce((sum, { levels }) => sum + pageBytes + levels.length * levelBytes, imageBytes);

/** What the info of one page with a few levels takes, its identifier included, in bytes. */
export const usualInfoBytes = 2_048;
const imageBytes = 1_024;
const pageBytes = 256;
const levelBytes = 128;
