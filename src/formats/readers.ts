import type { FormatName } from "../core/formats.ts";
import { libjxl, libvips, type Means, npmPackage, ours, switched } from "./shared/means.ts";
import { ffmpeg } from "./video/programs.ts";

/** What each format is read by; whatever that lacks is told by `availability.ts`, and to whoever asks for a picture. */
export const readers: Readonly<Record<FormatName, Means>> = {
  jpg: libvips,
  png: libvips,
  tif: ours,
  gif: libvips,
  webp: libvips,
  avif: libvips,
  jp2: ours,
  pdf: npmPackage("@hyzyla/pdfium", "PDFium"),
  heic: npmPackage("libheif-js", "libheif"),
  jxl: libjxl,
  bmp: ours,
  xpm: ours,
  avi: ffmpeg,
  flv: ffmpeg,
  mov: ffmpeg,
  mp4: ffmpeg,
  mpg: ffmpeg,
  webm: ffmpeg,
  dicom: ours,
  svg: switched(libvips, "processor.svg.enabled"),
};
