import { sameSize, toWidth } from "../core/geometry.ts";
import { complianceLevel, qualitiesOf, sharedFeatures } from "./features.ts";
import { document, measures } from "./information.ts";
import { canonicalEnd, formatSpellings, formatsByName, regionSpelling } from "./spelling.ts";
import type { Resolution, Version } from "./version.ts";

const compliance = (level: 0 | 1 | 2): string => `http://iiif.io/api/image/2/level${level}.json`;

/** Image API 2.1.1. */
export const v2: Version = {
  number: 2,
  syntax: {
    square: true,
    mirror: true,
    sizeKeywords: ["full", "max"],
    upscaling: "free",
    qualities: { default: "default", color: "color", gray: "gray", bitonal: "bitonal" },
    formats: formatsByName(),
    formatOptional: false,
    unknownFormat: "malformed",
  },
  context: "http://iiif.io/api/image/2/context.json",
  profile: compliance(2),
  identifierKey: "@id",
  mediaType: "application/json",
  canonical: (resolution) =>
    `${regionSpelling(resolution.extent)}/${sizeSpelling(resolution)}/${canonicalEnd(resolution.resolved)}`,
  information: (view) => {
    const { offered, maxArea, max, enlarging, sizes, tiles } = measures(view);
    return document(
      {
        "@context": v2.context,
        [v2.identifierKey]: view.uri,
        protocol: "http://iiif.io/api/image",
        width: offered.size.width,
        height: offered.size.height,
        sizes,
        tiles,
        profile: [
          compliance(complianceLevel(view.outputs)),
          document(
            {
              formats: formatSpellings(view.outputs),
              ...max,
              maxArea,
              qualities: ["default", ...qualitiesOf(view.page)],
              supports: enlarging ? [...features, "sizeAboveFull"] : features,
            },
            {},
          ),
        ],
      },
      view.extra,
    );
  },
};

const features = [
  ...sharedFeatures,
  "sizeByDistortedWh",
  "sizeByForcedWh",
  "sizeByWhListed",
] as const;

/** 2.1 §4.7: `full` unscaled, `w,` where that suffices, else `w,h`. */
const sizeSpelling = ({ resolved: { size }, extent: { crop } }: Resolution): string => {
  if (sameSize(size, crop)) return "full";
  return sameSize(size, toWidth(crop, size.width))
    ? `${size.width},`
    : `${size.width},${size.height}`;
};
