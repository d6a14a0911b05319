import type { KernelEnum } from "sharp";
import { area, type Rect, type Size } from "../core/geometry.ts";
import type { Filter } from "../core/plan.ts";
import type { Placement } from "./geometry.ts";
import type { Step } from "./job.ts";
import type { Edges, Picture, RemainingResize } from "./picture.ts";
import { readyFor, settle } from "./settle.ts";
import { prepareReduction } from "./shrink.ts";

/** Crops the raster to what is needed. */
export const cut: Step = async (picture, { placement }) =>
  placement.cut ? extract(await readyFor(picture, "cut"), placement.cut, "cut") : picture;

/** Scales the cropped raster. */
export const scale: Step = async (start, job) => {
  const { plan, placement, treatment, reduces, linear, halves } = job;
  const { scaled } = placement;
  const rest = restOf(placement, scaled ?? start.size);
  if (!scaled) return { ...start, rest };
  // A profile applies to the stored samples, before they are made linear.
  const ready = await readyFor(linear && treatment.converts ? await settle(start) : start, "scale");
  const kernel = reduces ? reducing[plan.downscaleFilter] : enlarging[plan.upscaleFilter];
  // Redacted rasters have been read already.
  const reads = { halves: halves && !plan.cover?.redactions.length };
  const fit = reduces && !linear ? await prepareReduction(ready, scaled, reads) : ready;
  const image = linear ? fit.image.pipelineColourspace("scrgb") : fit.image;
  return {
    ...fit,
    image: image.resize(scaled.width, scaled.height, { fit: "fill", kernel }),
    size: scaled,
    pending: "scale",
    rest,
  };
};

/** What is left to do once the raster has its scaled size. */
export const restOf = ({ window, missing, inner }: Placement, size: Size): RemainingResize => {
  const beyond: Edges = { left: 0, top: 0, right: missing.width, bottom: missing.height };
  return { window: window ?? { x: 0, y: 0, ...size }, beyond, inner };
};

/** Crops the scaled raster to the requested part and its apron. */
export const takeWindow: Step = async (picture) => {
  const { rest } = picture;
  if (!rest) return picture;
  const windowed = isPart(rest.window, picture.size)
    ? extract(await readyFor(picture, "window"), rest.window, "window")
    : picture;
  const { left, top, right, bottom } = rest.beyond;
  if (left + top + right + bottom === 0) return windowed;
  const { image, size, look } = await readyFor(windowed, "extend");
  return {
    image: image.extend({ left, top, right, bottom, extendWith: "copy" }),
    size: { width: size.width + left + right, height: size.height + top + bottom },
    pending: "extend",
    look,
    rest,
  };
};

/** Crops the apron off. */
export const trim: Step = async (picture) => {
  const { rest, ...bare } = picture;
  if (!rest || !isPart(rest.inner, picture.size)) return bare;
  return extract(await readyFor(bare, "cut"), rest.inner, "cut");
};

const extract = (picture: Picture, rect: Rect, pending: "cut" | "window"): Picture => {
  const { x, y, width, height } = rect;
  const image = picture.image.extract({ left: x, top: y, width, height });
  return { ...picture, image, size: { width, height }, pending };
};

const isPart = (rect: Rect, whole: Size): boolean => area(rect) !== area(whole);

/** sharp's closest equivalent of each filter, for downscaling. */
export const reducing: Readonly<Record<Filter, keyof KernelEnum>> = {
  bell: "mitchell",
  bspline: "mitchell",
  bicubic: "cubic",
  box: "linear",
  hermite: "linear",
  lanczos3: "lanczos3",
  mitchell: "mitchell",
  triangle: "linear",
};

/** The same for upscaling, where libvips has nearest neighbour, bilinear and bicubic. */
const enlarging: Readonly<Record<Filter, keyof KernelEnum>> = {
  bell: "cubic",
  bspline: "cubic",
  bicubic: "cubic",
  box: "nearest",
  hermite: "linear",
  lanczos3: "cubic",
  mitchell: "cubic",
  triangle: "linear",
};

/** Radius of a kernel, in pixels of the coarser side. */
export const reachOf = (filter: Filter): number => (filter === "lanczos3" ? 3 : 2);
