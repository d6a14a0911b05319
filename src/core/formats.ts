/** What is known of an image format, without loading any codec. */
export interface FormatFacts {
  readonly name: string;
  /** The preferred one first; it is also how the Image API spells the format. */
  readonly extensions: readonly [string, ...string[]];
  /** The preferred one first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Whether the format can carry transparency. */
  readonly alpha: boolean;
  /** The most pixels either side of a written picture may have. */
  readonly maxSide: number;
}

/** Every format the server has a word for: one row each, the only place its facts stand. */
export const formats = {
  jpg: {
    name: "JPEG",
    extensions: ["jpg", "jpeg"],
    mediaTypes: ["image/jpeg"],
    alpha: false,
    maxSide: 65_500,
  },
  png: {
    name: "PNG",
    extensions: ["png"],
    mediaTypes: ["image/png"],
    alpha: true,
    maxSide: 10_000_000,
  },
  tif: {
    name: "TIFF",
    extensions: ["tif", "tiff", "ptif"],
    mediaTypes: ["image/tiff"],
    alpha: true,
    maxSide: 10_000_000,
  },
  gif: {
    name: "GIF",
    extensions: ["gif"],
    mediaTypes: ["image/gif"],
    alpha: true,
    maxSide: 65_535,
  },
  webp: {
    name: "WebP",
    extensions: ["webp"],
    mediaTypes: ["image/webp"],
    alpha: true,
    maxSide: 16_383,
  },
  avif: {
    name: "AVIF",
    extensions: ["avif", "avifs"],
    mediaTypes: ["image/avif"],
    alpha: true,
    maxSide: 16_384,
  },
  jp2: {
    name: "JPEG 2000",
    extensions: ["jp2", "j2k", "j2c", "jpc", "jpx", "jpf", "jph", "jhc"],
    mediaTypes: ["image/jp2", "image/jpx", "image/jph", "image/j2c", "image/jphc"],
    alpha: true,
    maxSide: 10_000_000,
  },
  pdf: {
    name: "PDF",
    extensions: ["pdf"],
    mediaTypes: ["application/pdf"],
    alpha: false,
    maxSide: 65_500,
  },
  heic: {
    name: "HEIC",
    extensions: ["heic", "heif", "hif", "heics"],
    mediaTypes: ["image/heic", "image/heif"],
    alpha: true,
    maxSide: 0,
  },
  jxl: {
    name: "JPEG XL",
    extensions: ["jxl"],
    mediaTypes: ["image/jxl"],
    alpha: true,
    maxSide: 65_535,
  },
  bmp: {
    name: "BMP",
    extensions: ["bmp", "dib"],
    mediaTypes: ["image/bmp", "image/x-ms-bmp"],
    alpha: true,
    maxSide: 0,
  },
  xpm: {
    name: "XPM",
    extensions: ["xpm"],
    mediaTypes: ["image/x-xpixmap"],
    alpha: true,
    maxSide: 0,
  },
  avi: {
    name: "AVI",
    extensions: ["avi"],
    mediaTypes: ["video/avi", "video/msvideo", "video/x-msvideo"],
    alpha: false,
    maxSide: 0,
  },
  flv: {
    name: "Flash Video",
    extensions: ["flv"],
    mediaTypes: ["video/x-flv"],
    alpha: false,
    maxSide: 0,
  },
  mov: {
    name: "QuickTime",
    extensions: ["mov", "qt"],
    mediaTypes: ["video/quicktime", "video/x-quicktime"],
    alpha: false,
    maxSide: 0,
  },
  mp4: {
    name: "MP4",
    extensions: ["mp4", "m4v", "f4v"],
    mediaTypes: ["video/mp4"],
    alpha: false,
    maxSide: 0,
  },
  mpg: {
    name: "MPEG",
    extensions: ["mpg", "mpeg"],
    mediaTypes: ["video/mpeg"],
    alpha: false,
    maxSide: 0,
  },
  webm: {
    name: "WebM",
    extensions: ["webm", "mkv"],
    mediaTypes: ["video/webm", "video/x-matroska"],
    alpha: false,
    maxSide: 0,
  },
  dicom: {
    name: "DICOM",
    extensions: ["dcm", "dicom"],
    mediaTypes: ["application/dicom"],
    alpha: false,
    maxSide: 0,
  },
  svg: {
    name: "SVG",
    extensions: ["svg"],
    mediaTypes: ["image/svg+xml"],
    alpha: true,
    maxSide: 0,
  },
} as const satisfies Record<string, FormatFacts>;

export type FormatName = keyof typeof formats;

/** The format a file extension (no dot, any case) names, if any. */
export const formatOfExtension = (extension: string): FormatName | undefined => {
  const wanted = extension.toLowerCase();
  for (const name of Object.keys(formats) as FormatName[])
    if ((formats[name].extensions as readonly string[]).includes(wanted)) return name;
  return undefined;
};
