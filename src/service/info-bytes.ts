import type { ImageInfo } from "../core/info.ts";

/** Estimated memory of an image's info in bytes, from its pages and levels. */
export const bytesOfInfo = ({ pages }: ImageInfo): number =>
  pages.reduce((sum, { levels }) => sum + pageBytes + levels.length * levelBytes, imageBytes);

/** Memory of the info of one page with a few levels, including its identifier, in bytes. */
export const usualInfoBytes = 2_048;
const imageBytes = 1_024;
const pageBytes = 256;
const levelBytes = 128;
