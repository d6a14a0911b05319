import type { Bomb } from "./bomb.ts";
import { documentBombs } from "./documents.ts";
import { jpegBombs } from "./jpeg.ts";
import { jpeg2000Bombs } from "./jpeg2000.ts";
import { otherBombs } from "./others.ts";
import { rasterBombs } from "./raster.ts";
import { tiffBombs } from "./tiff.ts";

/** All of them. */
export const allBombs: readonly Bomb[] = [
  ...jpeg2000Bombs,
  ...tiffBombs,
  ...jpegBombs,
  ...rasterBombs,
  ...documentBombs,
  ...otherBombs,
];
