import { codestreamOf } from "../jpegxl/codestream.ts";
import { startEngine } from "../jpegxl/engine.ts";
import type { JpegXlJob } from "./job.ts";

/** Bytes that libjxl may take in a thread. */
const mostMemory = 1_610_612_736;

/** Makes pictures of JPEG XL (ISO/IEC 18181-1), bare codestreams; throws where there is no memory for one. */
export const createJpegXlEncoder = async (): Promise<(job: JpegXlJob) => Uint8Array> => {
  const engine = await startEngine(mostMemory);
  return ({ picture, distance, effort }) => {
    const { width, height, samples, bits, data, profile } = picture;
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
    // In memory of its own, which changes threads.
    return Uint8Array.from(codestream);
  };
};
