import { avif } from "./avif/format.ts";
import { bmp } from "./bmp/format.ts";
import { dicom } from "./dicom/format.ts";
import { gif } from "./gif/format.ts";
import { heic, jxl } from "./heif-jxl/format.ts";
import { jpeg } from "./jpeg/format.ts";
import { jpeg2000 } from "./jpeg2000/format.ts";
import { pdf } from "./pdf/format.ts";
import { png } from "./png/format.ts";
import type { Format } from "./record/index.ts";
import { svg } from "./svg/format.ts";
import { tiff } from "./tiff/format.ts";
import { videos } from "./video/format.ts";
import { webp } from "./webp/format.ts";
import { xpm } from "./xpm/format.ts";

/**
 * All formats: one line each, in the order in which signatures are compared and lists are shown.
 */
export const formats: readonly Format[] = [
  jpeg,
  png,
  tiff,
  gif,
  webp,
  avif,
  jpeg2000,
  pdf,
  heic,
  jxl,
  bmp,
  xpm,
  ...videos,
  dicom,
  svg,
];
