import type { Keys } from "../config/keys.ts";
import type { FormatFacts, FormatName } from "../core/formats.ts";
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
import { threadKeys } from "./shared/index.ts";
import { svg } from "./svg/index.ts";
import { tiff } from "./tiff/index.ts";
import { videos } from "./video/index.ts";
import { webp } from "./webp/index.ts";
import { xpm } from "./xpm/index.ts";

/** All formats, in the order in which signatures are compared and lists are shown. */
export const registry: readonly Format[] = [
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

/** The keys of all decoders, and those that they share. */
export const formatKeys: Keys = Object.assign(
  {},
  threadKeys,
  ...registry.map(({ keys }) => keys ?? {}),
);

const byName = new Map(registry.map((format) => [format.name, format]));

/** The record of a format; undefined where there is none of that name. */
export const formatNamed = (name: FormatName): Format | undefined => byName.get(name);

/** The facts of a format; throws where there is none of that name. */
export const factsOf = (name: FormatName): FormatFacts => {
  const format = byName.get(name);
  if (format === undefined) throw new Error(`There is no format '${name}'.`);
  return format.facts;
};

/** The format that a file extension (no dot, any case) belongs to, if any. */
export const formatOfExtension = (extension: string): FormatName | undefined => {
  const wanted = extension.toLowerCase();
  return registry.find(({ facts }) => facts.extensions.includes(wanted))?.name;
};
