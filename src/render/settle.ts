import sharp from "sharp";
import { DecoderLost, fail, ServerError } from "../core/errors.ts";
import { dress } from "./colour.ts";
import { type Operation, operations, type Picture } from "./picture.ts";
import { type RasterSamples, samplesOf } from "./samples.ts";

/**
 * Seconds that a settled image may take to be drawn; a raster fresh from its decoder brings its
 * own limit.
 */
const drawingSeconds = 60;

/**
 * The image, ready for an operation: as it is where sharp will carry the operation out after all
 * that is pending, and settled where sharp's own order would have it otherwise.
 */
export const readyFor = async (picture: Picture, operation: Operation): Promise<Picture> =>
  picture.pending !== undefined &&
  operations.indexOf(picture.pending) >= operations.indexOf(operation)
    ? settle(picture)
    : picture;

/**
 * Makes pending pixels real: an uncompressed TIFF in memory, which keeps profile, alpha and 16
 * bits. Its samples are handed to `change` before anything else is made of them.
 */
export const settle = async (
  { image, size, look, rest }: Picture,
  change?: (samples: RasterSamples) => void | Promise<void>,
): Promise<Picture> => {
  const pixels = await draw(() =>
    image.tiff({ compression: "none", predictor: "none" }).toBuffer(),
  );
  await change?.(samplesOf(pixels));
  const settled = sharp(pixels, { limitInputPixels: false, ignoreIcc: !look.keepsProfile });
  const timed = settled.timeout({ seconds: drawingSeconds });
  return { image: dress(timed, look), size, look, ...(rest && { rest }) };
};

/**
 * Runs a pipeline; throws `late` past its deadline, `unreadable` where the pixels cannot be had.
 */
export const draw = async (run: () => Promise<Uint8Array>): Promise<Uint8Array> => {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    const said = cause instanceof Error ? cause.message : "";
    if (/timeout/i.test(said))
      throw new DecoderLost(new ServerError("late", "Drawing took longer than it may.", { cause }));
    if (/too large for the \w+ format/i.test(said))
      return fail(
        "malformed",
        "Expected a size that the format can hold; this is too large.",
        cause,
      );
    return fail("unreadable", "Corrupt image data.", cause);
  }
};
