import { avif } from "./avif/index.ts";
import { bmp } from "./bmp/index.ts";
import { dicom } from "./dicom/index.ts";
import { gif } from "./gif/index.ts";
import { heic, jxl } from "./heif-jxl/index.ts";
import { jpeg } from "./jpeg/index.ts";
import { jpeg2000 } from "./jpeg2000/index.ts";
import { pdf } from "./pdf/index.ts";
import { png } from "./png/index.ts";
import type { Format } from "./record/index.ts";
import { svg } from "./svg/index.ts";
import { tiff } from "./tiff/index.ts";
import { videos } from "./video/index.ts";
import { webp } from "./webp/index.ts";
import { xpm } from "./xpm/index.ts";

/** All formats: one line each, in the order in which signatures are compared and lists are shown. */
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
