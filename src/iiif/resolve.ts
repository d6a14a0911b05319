import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { area, type Rect, round, type Size, sameSize, turned } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { ImageRequest, Quality, SizeSpec } from "../core/request.ts";
import { factsOf } from "../formats/registry.ts";
import { boundsOf, enlarged, enlarges, inScale, largest, type SizeBounds } from "./bounds.ts";
import { confinedLimits } from "./confine.ts";
import { type Limits, missingPage } from "./limits.ts";
import { type OfferedPage, offer, pageAt, pageIndex } from "./offer.ts";
import { locate } from "./region.ts";
import { measure } from "./size.ts";
import { isListed, listSizes } from "./sizes.ts";
import type { Resolution } from "./version.ts";

/**
 * Resolves a request against its image: every keyword and percentage becomes pixels, and every
 * limit is applied. Throws `missing` for a page that does not exist, `denied` for what a scale
 * constraint or the list of sizes forbids, `unimplemented` for enlarging where that is off,
 * `malformed` for the rest.
 */
export const resolve = (request: ImageRequest, info: ImageInfo, usual: Limits): Resolution => {
  const page = pageAt(info, request.id, missingPage(usual));
  const offered = offer(page, request.id.constraint);
  const limits = confinedLimits(usual, offered.full, request.confinement);
  const crop = locate(request.region, offered.size);
  const bounds = boundsOf(crop, offered, limits);
  const listed = (size: Size): boolean => isListed({ page, offered, crop, size }, limits);
  const available = (size: Size): Size =>
    limits["endpoint.iiif.restrict_to_sizes"] && !listed(size) && sameSize(crop, offered.size)
      ? (listSizes(offered, limits).at(-1) ?? size)
      : size;
  const measured = visible(measure(request.size, crop, bounds), listed);
  // `max` is what is available (3.0 §4.2): where only listed sizes are, the largest of them.
  const size = request.size.kind === "max" ? available(measured) : measured;
  checkConstraint(size, crop, offered);
  checkEnlarging({ spec: request.size, size, crop }, bounds, limits);
  // Of confined images, the tiles at the edges that info.json lists are slightly finer than the
  // rest.
  if (!bounds.confined || !listed(size))
    checkBounds({ spec: request.size, size, crop }, bounds, limits);
  if (limits["endpoint.iiif.restrict_to_sizes"] && !listed(size))
    fail("denied", "Only the sizes and tiles that info.json lists are available");
  const rotation = request.rotation % 360;
  checkSides(size, rotation, request.format);
  return {
    resolved: {
      identifier: request.id.identifier,
      page: pageIndex(info, request.id),
      orientation: page.orientation,
      crop: inFull(crop, offered),
      size,
      mirror: request.mirror,
      rotation,
      quality: plainest(request.quality, page),
      format: request.format,
    },
    extent: {
      page: offered.size,
      crop,
      largest: available(largest(crop, bounds)),
      enlarged: available(enlarged(crop, bounds)),
    },
  };
};

/**
 * The size, where it has any pixels (3.0 §4.2). The last tiles of a grid may be so thin that the
 * side omitted in `w,` rounds to nothing; since listed tiles must be served, they get one pixel.
 */
const visible = (size: Size, listed: (size: Size) => boolean): Size => {
  if (size.width >= 1 && size.height >= 1) return size;
  const raised = { width: Math.max(1, size.width), height: Math.max(1, size.height) };
  return listed(raised)
    ? raised
    : fail("malformed", `size: expected at least one pixel each way, got ${print(size)}`);
};

/** A scale constraint is met to within one pixel of the shorter side of the full image. */
const checkConstraint = (size: Size, crop: Size, { full, share }: OfferedPage): void => {
  if (share === 1) return;
  const scale = Math.max(size.width / crop.width, size.height / crop.height) * share;
  if (scale > share + 1 / Math.min(full.width, full.height))
    fail("denied", `size: at most ${print(crop)} is available for this region, got ${print(size)}`);
};

interface SizeRequest {
  readonly spec: SizeSpec;
  readonly size: Size;
  readonly crop: Size;
}

const checkEnlarging = ({ spec, size }: SizeRequest, bounds: SizeBounds, limits: Limits): void => {
  const confined =
    spec.kind === "within" &&
    !spec.upscale &&
    limits["endpoint.iiif.3.confined_size"] === "refuse" &&
    spec.width > bounds.unscaled.width &&
    spec.height > bounds.unscaled.height;
  const byPercent = spec.kind === "percent" && spec.percent > 100 && !bounds.refuses;
  const grows = enlarges(size, bounds) || byPercent;
  if (!spec.upscale && (grows || confined))
    fail(
      "malformed",
      `size: expected at most ${print(bounds.unscaled)}, as enlarging needs ^; got ${print(confined ? spec : size)}`,
    );
  const off = limits.max_scale > 0 && limits.max_scale <= 1;
  if (spec.asked && off && grows && !inScale(size, bounds))
    fail(
      bounds.refuses ? "malformed" : "unimplemented",
      "size: enlarging is switched off on this server",
    );
};

const checkBounds = (
  { spec, size }: SizeRequest,
  bounds: SizeBounds,
  { max_scale }: Limits,
): void => {
  const isCaretless = spec.upscale && !spec.asked;
  const tooLarge = bounds.refuses && isCaretless ? "denied" : "malformed";
  if (bounds.refuses && spec.kind === "percent" && max_scale > 0 && spec.percent > max_scale * 100)
    fail(tooLarge, `size: expected at most ${max_scale * 100} percent, got ${spec.percent}`);
  if (bounds.tiny)
    fail("malformed", "region: too small for the resolution that is allowed of this image");
  if (!inScale(size, bounds))
    fail(tooLarge, `size: expected at most ${print(bounds.box)}, got ${print(size)}`);
  if (area(size) > bounds.area)
    fail(
      bounds.refuses ? "denied" : "malformed",
      `size: expected at most ${bounds.area} pixels in all, got ${print(size)}, which is ${area(size)}`,
    );
};

const checkSides = (size: Size, rotation: number, format: FormatName): void => {
  const { name, maxSide } = factsOf(format);
  const canvas = turned(size, rotation);
  if (canvas.width > maxSide || canvas.height > maxSide)
    fail(
      "malformed",
      `format: ${name} holds at most ${maxSide} pixels each way, got ${print(canvas)}`,
    );
};

/** Edges are scaled separately, so that adjacent regions stay adjacent. */
const inFull = (crop: Rect, { size, full }: OfferedPage): Rect => {
  const along = (start: number, length: number, from: number, to: number) => {
    const begin = round((start * to) / from);
    return { begin, length: round(((start + length) * to) / from) - begin };
  };
  const across = along(crop.x, crop.width, size.width, full.width);
  const down = along(crop.y, crop.height, size.height, full.height);
  return { x: across.begin, y: down.begin, width: across.length, height: down.length };
};

/** `default` where the page has the requested quality anyway. */
const plainest = (quality: Quality, { colour }: Page): Quality =>
  quality === "color" || (quality === "gray" && colour.model === "grey") ? "default" : quality;

const print = ({ width, height }: Size): string => `${width}x${height}`;
