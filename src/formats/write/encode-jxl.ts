import type { Sharp } from "sharp";
import type { Plan } from "../../core/plan.ts";
import { finishedPicture } from "../libvips/index.ts";
import { demandWriter, libjxl } from "../shared/index.ts";
import { flag, number } from "./encode-values.ts";
import type { SampleEncoders } from "./samples/index.ts";

/** An image as JPEG XL. */
export const encodeJxl = async (
  image: Sharp,
  { encoding, quality }: Plan,
  { encoders, signal }: { readonly encoders: SampleEncoders; readonly signal: AbortSignal },
): Promise<Uint8Array> => {
  await demandWriter("JPEG XL", libjxl);
  const lossless = quality === "bitonal" || flag(encoding, "lossless");
  const distance = lossless ? 0 : distanceFor(number(encoding, "quality", 80));
  const effort = number(encoding, "effort", 3);
  const picture = await finishedPicture(image);
  return encoders.run({ kind: "jpegxl", picture, distance, effort }, signal);
};

/**
 * In just noticeable differences, by the formula of libjxl's own programs for JPEG-like qualities.
 */
const distanceFor = (quality: number): number =>
  quality >= 30
    ? 0.1 + (100 - quality) * 0.09
    : (53 / 3_000) * quality ** 2 - (23 / 20) * quality + 25;
