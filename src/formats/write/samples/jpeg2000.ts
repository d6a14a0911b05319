import type { OpenJpeg } from "@cornerstonejs/codec-openjpeg/wasmjs";
import type { Jpeg2000Job } from "./job.ts";

/** Number of resolutions besides full size, and minimum sides of the smallest in pixels. */
const maxReductions = 5;
const minSide = 32;

/** Maximum samples of an image, however much memory there is, and OpenJPEG's bytes for each. */
const maxSamples = 64_000_000;
const bytesPerSample = 12;

/** Maximum bytes of memory that are kept for the next image. */
const maxKept = 134_217_728;

/** RPCL: a reader of a small size reads no further than that. */
const byResolution = 2;

/**
 * Makes JPEG 2000 codestreams (ISO/IEC 15444-1) of one tile; throws where that takes more than
 * `maxBytes` of memory.
 */
export const createJpeg2000Encoder = (
  maxBytes = maxSamples * bytesPerSample,
): ((job: Jpeg2000Job) => Promise<Uint8Array>) => {
  let kept: OpenJpeg | undefined;
  const limit = Math.min(maxSamples, Math.floor(maxBytes / bytesPerSample));
  return async (job) => {
    const { width, height, samples } = job.picture;
    if (width * height * samples > limit)
      throw new Error(`a JPEG 2000 of more than ${limit} samples`);
    const openJpeg = kept ?? (await start());
    // After an error it is unusable; WebAssembly memory never shrinks.
    kept = undefined;
    const codestream = encoded(openJpeg, job);
    if (openJpeg.HEAPU8.length <= maxKept) kept = openJpeg;
    return codestream;
  };
};

const start = async (): Promise<OpenJpeg> => {
  const { default: create } = await import("@cornerstonejs/codec-openjpeg/wasmjs");
  return create({ print() {}, printErr() {} });
};

const encoded = ({ J2KEncoder }: OpenJpeg, { picture, bits, ratio }: Jpeg2000Job): Uint8Array => {
  const { width, height, samples, data } = picture;
  const encoder = new J2KEncoder();
  try {
    const room = encoder.getDecodedBuffer({
      width,
      height,
      bitsPerSample: bits,
      componentCount: samples,
      isSigned: false,
    });
    if (bits === 1) for (let at = 0; at < data.length; at++) room[at] = (data[at] as number) >> 7;
    else room.set(data);
    encoder.setDecompositions(reductionsFor(width, height));
    encoder.setProgressionOrder(byResolution);
    encoder.setQuality(ratio === 0, 1);
    encoder.setCompressionRatio(0, ratio);
    encoder.encode();
    return Uint8Array.from(encoder.getEncodedBuffer());
  } finally {
    encoder.delete();
  }
};

const reductionsFor = (width: number, height: number): number => {
  const halvings = Math.floor(Math.log2(Math.min(width, height) / minSide));
  return Math.min(maxReductions, Math.max(0, halvings));
};
