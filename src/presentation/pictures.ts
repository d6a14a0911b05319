import { type Size, sameSize, toWidth } from "../core/geometry.ts";
import type { Constraint } from "../core/identifier.ts";
import type { Page } from "../core/info.ts";
import type { Confinement } from "../core/request.ts";
import { confinedLimits } from "../iiif/confine.ts";
import type { Limits } from "../iiif/limits.ts";
import { offer } from "../iiif/offer.ts";
import { listSizes } from "../iiif/sizes.ts";
import type { ImageServiceView, ImageView } from "./views.ts";

/** The sizes in which a page is available. */
export interface PictureSizes {
  /** Upright, in full. */
  readonly full: Size;
  /** Those that info.json lists, smallest first. */
  readonly listed: readonly Size[];
}

/** The limits that determine the sizes of a page. */
export interface PictureLimits {
  readonly limits: Limits;
  readonly constraint: Constraint;
  /** The size that the client is limited to, if any. */
  readonly confinement?: Confinement | undefined;
}

/** The sizes of a page under limits, as in its info.json. */
export const pictureSizes = (
  page: Page,
  { limits, constraint, confinement }: PictureLimits,
): PictureSizes => {
  const offered = offer(page, constraint);
  return {
    full: offered.size,
    listed: listSizes(offered, confinedLimits(limits, offered.full, confinement)),
  };
};

/** The whole page in the largest size that is listed; `services` has at least one. */
export const largestImage = (
  { full, listed }: PictureSizes,
  services: readonly ImageServiceView[],
): ImageView => imageView(listed.at(-1) ?? full, full, services);

/** Minimum length of the longer side of a thumbnail in pixels, if the page has that many. */
const thumbnailSide = 200;

/** The whole page in the smallest listed size that is large enough for a thumbnail. */
export const thumbnailImage = (
  { full, listed }: PictureSizes,
  services: readonly ImageServiceView[],
): ImageView => {
  const enough = listed.find(({ width, height }) => Math.max(width, height) >= thumbnailSide);
  return imageView(enough ?? listed.at(-1) ?? full, full, services);
};

const imageView = (size: Size, full: Size, services: readonly ImageServiceView[]): ImageView => {
  const [service] = services;
  const uri = service ? `${service.uri}/full/${sizeSegment(service, size, full)}/0/` : "";
  return { uri: `${uri}${service?.version === 1 ? "native" : "default"}.jpg`, size, services };
};

/** The canonical form of a size; versions before 3 omit the height if it follows from the width. */
const sizeSegment = ({ version }: ImageServiceView, size: Size, full: Size): string => {
  if (sameSize(size, full)) return version === 3 ? "max" : "full";
  const { width, height } = size;
  return version < 3 && sameSize(toWidth(full, width), size) ? `${width},` : `${width},${height}`;
};
