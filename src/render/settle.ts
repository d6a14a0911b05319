import sharp from "sharp";
import { DecoderLost, fail, ServerError } from "../core/errors.ts";
import { setColourSpace } from "./colour.ts";
import { type Operation, operations, type Picture } from "./picture.ts";
import { type RasterSamples, samplesOf } from "./samples.ts";

/**
 * Maximum seconds for rendering an intermediate image; a raster fresh from its decoder has its own
 * limit.
 */
const drawingSeconds = 60;

/**
 * The image, ready for an operation: unchanged where sharp will execute the operation after all
 * pending ones, and rendered to memory where sharp's own order differs.
 */
export const readyFor = async (picture: Picture, operation: Operation): Promise<Picture> =>
  picture.pending !== undefined &&
  operations.indexOf(picture.pending) >= operations.indexOf(operation)
    ? settle(picture)
    : picture;

/**
 * Executes pending operations: an uncompressed TIFF in memory, which preserves profile, alpha and
 * 16 bits. Its samples are passed to `change` first.
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
  return { image: setColourSpace(timed, look), size, look, ...(rest && { rest }) };
};

/**
 * Runs a pipeline; throws `late` past its deadline, `unreadable` where the pixels cannot be
 * decoded.
 */
export const draw = async (run: () => Promise<Uint8Array>): Promise<Uint8Array> => {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    const said = cause instanceof Error ? cause.message : "";
    if (/timeout/i.test(said))
      throw new DecoderLost(new ServerError("late", "Rendering took too long.", { cause }));
    if (/too large for the \w+ format/i.test(said))
      return fail("malformed", "The output format does not support an image this large.", cause);
    return fail("unreadable", "Corrupt image data.", cause);
  }
};
