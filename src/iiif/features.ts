import type { FormatName } from "../core/formats.ts";
import type { Page } from "../core/info.ts";
import type { Quality } from "../core/request.ts";
import type { Limits } from "./limits.ts";
import type { OfferedPage } from "./offer.ts";

/**
 * The features of every version's compliance levels: JPEG makes level 1, JPEG and PNG level 2 (3.0
 * Compliance).
 */
export const complianceLevel = (outputs: readonly FormatName[]): 0 | 1 | 2 => {
  if (!outputs.includes("jpg")) return 0;
  return outputs.includes("png") ? 2 : 1;
};

/** The qualities besides the default that make sense for a page: one without colour offers none. */
export const qualitiesOf = ({ colour }: Page): readonly Quality[] =>
  colour.model === "grey" ? ["gray", "bitonal"] : ["color", "gray", "bitonal"];

/** True when a page may be enlarged. */
export const canEnlarge = ({ share }: OfferedPage, { max_scale }: Limits): boolean =>
  share === 1 && (max_scale === 0 || max_scale > 1);

/** The features with a name in both 2.1 and 3.0, as info.json lists them. */
export const sharedFeatures: readonly string[] = [
  "baseUriRedirect",
  "canonicalLinkHeader",
  "cors",
  "jsonldMediaType",
  "mirroring",
  "profileLinkHeader",
  "regionByPct",
  "regionByPx",
  "regionSquare",
  "rotationArbitrary",
  "rotationBy90s",
  "sizeByConfinedWh",
  "sizeByH",
  "sizeByPct",
  "sizeByW",
  "sizeByWh",
];
