import sharp, { type Sharp } from "sharp";
import { fail, ServerError } from "../core/errors.ts";
import { dress } from "./colour.ts";
import { type Operation, operations, type Picture } from "./picture.ts";

/** Seconds that drawing may take before it is given up. */
const drawingSeconds = 60;

/**
 * The picture, ready for an operation: as it is where sharp will carry the operation out after all
 * that is pending, and settled where sharp's own order would have it otherwise.
 */
export const readyFor = async (picture: Picture, operation: Operation): Promise<Picture> =>
  picture.pending !== undefined &&
  operations.indexOf(picture.pending) >= operations.indexOf(operation)
    ? settle(picture)
    : picture;

/** Makes pending pixels real: an uncompressed TIFF in memory, which keeps profile, alpha and 16 bits. */
export const settle = async ({ image, size, look }: Picture): Promise<Picture> => {
  const pixels = await draw(image, (pending) =>
    pending.tiff({ compression: "none", predictor: "none" }).toBuffer(),
  );
  const settled = sharp(pixels, { limitInputPixels: false, ignoreIcc: !look.keepsProfile });
  return { image: dress(settled, look), size, look };
};

/** Runs a pipeline with a deadline; throws `late` past it, `unreadable` where the pixels cannot be had. */
export const draw = async (
  image: Sharp,
  run: (image: Sharp) => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  try {
    return await run(image.timeout({ seconds: drawingSeconds }));
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    const message = cause instanceof Error ? cause.message : "";
    if (/timeout/i.test(message))
      return fail("late", `Drawing the image took longer than ${drawingSeconds} seconds`, cause);
    return fail("unreadable", "The image could not be decoded: its data may be damaged", cause);
  }
};
