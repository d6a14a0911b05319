import { compileWasm } from "../../core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "../heap-codec.ts";
import { Renewed } from "../unpacker.ts";
import type { JpegXlJob } from "./job.ts";

interface JpegXlEncoder extends HeapCodec {
  /** 0 where that fails. */
  encode(
    from: number,
    width: number,
    height: number,
    channels: number,
    bits: number,
    distance: number,
    effort: number,
    profile: number,
    profileLength: number,
  ): number;
  outputAt(): number;
  outputLength(): number;
  forget(): void;
}

/** Makes pictures of JPEG XL (ISO/IEC 18181-1); throws where there is no memory for one. */
export const createJpegXlEncoder = async (): Promise<(job: JpegXlJob) => Uint8Array> => {
  const module = await compileWasm("codecs", "jpegxl-encoder");
  const encoders = new Renewed<JpegXlEncoder>(() => newHeapCodec(module));
  return ({ picture, distance, effort }) =>
    encoders.with((encoder) => {
      const { width, height, samples, bits, data, profile = new Uint8Array(0) } = picture;
      return withBytes(encoder, data, (from) =>
        withBytes(encoder, profile, (profileAt) => {
          const size = [width, height, samples, bits] as const;
          if (!encoder.encode(from, ...size, distance, effort, profileAt, profile.length))
            throw new Error("JPEG XL had no memory to encode in");
          const at = encoder.outputAt() >>> 0;
          const written = new Uint8Array(encoder.memory.buffer, at, encoder.outputLength()).slice();
          encoder.forget();
          return written;
        }),
      );
    });
};
