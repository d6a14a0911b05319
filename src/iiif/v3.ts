import { sameSize } from "../core/geometry.ts";
import { complianceLevel, qualitiesOf, sharedFeatures } from "./features.ts";
import { document, measures } from "./information.ts";
import { canonicalEnd, formatSpellings, formatsByName, regionSpelling } from "./spelling.ts";
import type { Resolution, Version } from "./version.ts";

/** Image API 3.0. */
export const v3: Version = {
  number: 3,
  syntax: {
    square: true,
    mirror: true,
    sizeKeywords: ["max"],
    upscaling: "caret",
    qualities: { default: "default", color: "color", gray: "gray", bitonal: "bitonal" },
    formats: formatsByName(),
    formatOptional: false,
    unknownFormat: "malformed",
  },
  context: "http://iiif.io/api/image/3/context.json",
  profile: "http://iiif.io/api/image/3/level2.json",
  identifierKey: "id",
  mediaType: "application/ld+json",
  canonical: (resolution) =>
    `${regionSpelling(resolution.extent)}/${sizeSpelling(resolution)}/${canonicalEnd(resolution.resolved)}`,
  information: (view) => {
    const { offered, maxArea, max, enlarging, sizes, tiles } = measures(view);
    const level = complianceLevel(view.outputs);
    const spellings = formatSpellings(view.outputs);
    const included: readonly string[] = level === 2 ? ["jpg", "png"] : ["jpg"];
    return document(
      {
        "@context": v3.context,
        [v3.identifierKey]: view.uri,
        type: "ImageService3",
        protocol: "http://iiif.io/api/image",
        profile: `level${level}`,
        width: offered.size.width,
        height: offered.size.height,
        ...max,
        maxArea,
        sizes,
        tiles,
        preferredFormats: view.preferred.filter((format) => spellings.includes(format)),
        extraQualities: qualitiesOf(view.page),
        extraFormats: spellings.filter((format) => !included.includes(format)),
        extraFeatures: enlarging ? [...sharedFeatures, "sizeUpscaling"] : sharedFeatures,
      },
      view.extra,
    );
  },
};

/** 3.0 §4.7: `max` or `^max` where it equals that, else `w,h`, with `^` where it is enlarged. */
const sizeSpelling = ({ resolved: { size }, extent }: Resolution): string => {
  const { crop, largest, enlarged } = extent;
  if (sameSize(size, largest)) return "max";
  if (sameSize(size, enlarged)) return "^max";
  const grown = size.width > crop.width || size.height > crop.height;
  return `${grown ? "^" : ""}${size.width},${size.height}`;
};
