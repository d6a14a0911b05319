import { round, type Size } from "../core/geometry.ts";
import { loadedAt, maxShift, shiftOf } from "../formats/libvips/index.ts";
import type { Picture } from "./picture.ts";
import { settle } from "./settle.ts";

/**
 * Prepares an image for downscaling so that its loader's own reduction loses nothing. When libvips
 * shrinks a JPEG on loading, it reads it at a half, a quarter or an eighth and drops the remaining
 * pixels at the right and the bottom, which shifts all others; it reads a WebP too blurred, its
 * transparent parts bleeding into the rest.
 */
export const prepareReduction = async (
  picture: Picture,
  to: Size,
  { halves }: { readonly halves: boolean },
): Promise<Picture> => {
  if (picture.pending !== undefined) return picture;
  const way = halves ? wayOf(picture.size, to) : "whole";
  if (way === "direct") return picture;
  if (way === "whole") return readWhole(picture);
  const size = { width: third(picture.size.width), height: third(picture.size.height) };
  const image = picture.image.resize(size.width, size.height, { fit: "fill", kernel: "cubic" });
  return settle({ ...picture, image, size });
};

/**
 * The best way to read a JPEG whose decoder has not chosen a factor: reduced as sharp does, reduced
 * to a half and scaled in two steps, or whole.
 */
export const wayOf = (from: Size, to: Size): "direct" | "two steps" | "whole" => {
  if (shiftOf(from, to, loadedAt(from, to)) <= maxShift) return "direct";
  const isFar = Math.min(from.width / to.width, from.height / to.height) >= 6;
  return isFar && shiftOf(from, to, 2) <= maxShift ? "two steps" : "whole";
};

/** From a third on, and below a quarter, libvips reads at a half. */
const third = (side: number): number => round(side / 3);

/** Cropping to the whole image keeps the loader from shrinking. */
const readWhole = (picture: Picture): Picture => {
  const { width, height } = picture.size;
  const image = picture.image.extract({ left: 0, top: 0, width, height });
  return { ...picture, image, pending: "cut" };
};
