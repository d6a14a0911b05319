import { codestreamOf, startEngine } from "../../heif-jxl/jpegxl/index.ts";
import type { JpegXlJob } from "./job.ts";

/** Memory limit of libjxl in a thread in bytes. */
const maxMemory = 1_610_612_736;

/** Memory of encoding per sample in bytes, rounded up from measurements. */
const bytesPerSample = 28;

/**
 * Makes JPEG XL images (ISO/IEC 18181-1), bare codestreams; throws where one takes more than
 * `maxBytes` of memory.
 */
export const createJpegXlEncoder = async (
  maxBytes = maxMemory,
): Promise<(job: JpegXlJob) => Uint8Array> => {
  const engine = await startEngine(maxBytes);
  return ({ picture, distance, effort }) => {
    const { width, height, samples, bits, data, profile } = picture;
    // The engine cannot be limited to less memory than it begins with.
    if (width * height * samples * bytesPerSample > maxBytes)
      throw new Error(`a JPEG XL that takes more than ${maxBytes} bytes to encode`);
    const boxed = engine.encode({
      size: { width, height },
      channels: samples,
      samples: bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data,
      profile,
      distance,
      effort,
    });
    const codestream = codestreamOf(boxed);
    if (codestream === undefined) throw new Error("libvips wrote no JPEG XL");
    // In memory of its own, which is transferred.
    return Uint8Array.from(codestream);
  };
};
