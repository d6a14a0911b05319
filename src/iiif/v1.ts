import { complianceLevel, qualitiesOf } from "./features.ts";
import { document, measures } from "./information.ts";
import { formatSpellings, formatsByExtension } from "./spelling.ts";
import type { Version } from "./version.ts";

const compliance = "http://library.stanford.edu/iiif/image-api/1.1/compliance.html#level";

/** Image API 1.1. */
export const v1: Version = {
  number: 1,
  syntax: {
    square: false,
    mirror: false,
    sizeKeywords: ["full"],
    upscaling: "free",
    qualities: { native: "default", color: "color", grey: "gray", bitonal: "bitonal" },
    formats: formatsByExtension(),
    formatOptional: true,
    unknownFormat: "unsupported",
    maxUriLength: 1024,
  },
  context: "http://library.stanford.edu/iiif/image-api/1.1/context.json",
  profile: `${compliance}2`,
  identifierKey: "@id",
  mediaType: "application/json",
  information: (view) => {
    const { offered, tiles } = measures(view);
    const [tile] = tiles;
    return document(
      {
        "@context": v1.context,
        [v1.identifierKey]: view.uri,
        width: offered.size.width,
        height: offered.size.height,
        // 1.1 has one tile size for all its scale factors.
        scale_factors: tiles.flatMap(({ scaleFactors }) => scaleFactors).sort((a, b) => a - b),
        tile_width: tile?.width,
        tile_height: tile?.height,
        formats: formatSpellings(view.outputs),
        qualities: ["default" as const, ...qualitiesOf(view.page)].map(spell),
        profile: `${compliance}${complianceLevel(view.outputs)}`,
      },
      view.extra,
    );
  },
};

const spell = (quality: string): string | undefined =>
  Object.entries(v1.syntax.qualities).find(([, word]) => word === quality)?.[0];
