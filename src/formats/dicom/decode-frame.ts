import { fail } from "../../core/errors.ts";
import { decodeJpeg, frameOf } from "../lossless-jpeg/index.ts";
import type { FrameJob, FrameSamples } from "./job.ts";
import { decodeRunLengths } from "./run-lengths.ts";

/**
 * Decodes a frame on the calling thread. Throws `unreadable` where it is corrupt or not of the
 * expected size.
 */
export const decodeFrame = async (job: FrameJob): Promise<FrameSamples> => {
  if (job.coding === "jpegls") return decodeJpegLs(job);
  if (job.coding === "jpeg") return decodeWide(job);
  const { width, height, samples, bytesPerSample } = job;
  const bytes = decodeRunLengths(job.bytes, { pixels: width * height, samples, bytesPerSample });
  return { bytes, bytesPerSample, planar: false, precision: 0 };
};

const decodeWide = ({ bytes, width, height, samples }: FrameJob): FrameSamples => {
  const decoded = decodeJpeg(bytes, { width, height, components: samples });
  return {
    bytes: littleEndianBytes(decoded.samples),
    bytesPerSample: 2,
    planar: false,
    precision: decoded.precision,
  };
};

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const littleEndianBytes = (samples: Uint16Array): Uint8Array => {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  if (!isLittleEndian) Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).swap16();
  return bytes;
};

/** The parts of CharLS's JavaScript build that are used. */
interface CharLs {
  readonly JpegLSDecoder: new () => {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getDecodedBuffer(): Uint8Array;
    getInterleaveMode(): number;
    delete(): void;
  };
}

let charls: Promise<CharLs> | undefined;

const load = async (): Promise<CharLs> => {
  const { default: create } = await import("@cornerstonejs/codec-charls/decodewasmjs");
  return (await create({ print: () => {}, printErr: () => {} })) as CharLs;
};

/** Its size is checked before decoding, so that CharLS allocates no more memory than it should. */
const decodeJpegLs = async ({ bytes, width, height, samples }: FrameJob): Promise<FrameSamples> => {
  const frame = frameOf(bytes);
  const isRight =
    frame.width === width && frame.height === height && frame.components.length === samples;
  if (frame.kind !== jpegLsFrame || !isRight || frame.precision < 2 || frame.precision > 16)
    fail(
      "unreadable",
      `Expected a JPEG-LS image of ${width} x ${height} and ${samples} components in the DICOM file.`,
    );
  charls ??= load();
  const { JpegLSDecoder } = await charls;
  const decoder = new JpegLSDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    try {
      decoder.decode();
    } catch (error) {
      // A WebAssembly trap ends the thread; numbers are C++ exceptions.
      if (typeof error !== "number" && !isException(error)) throw error;
      fail("unreadable", "Corrupt JPEG-LS data in the DICOM file.", error);
    }
    const bytesPerSample = frame.precision > 8 ? 2 : 1;
    const decoded = Uint8Array.from(decoder.getDecodedBuffer());
    if (decoded.length < width * height * samples * bytesPerSample)
      fail("unreadable", "Truncated JPEG-LS image in the DICOM file.");
    const planar = samples > 1 && decoder.getInterleaveMode() === 0;
    return { bytes: decoded, bytesPerSample, planar, precision: frame.precision };
  } finally {
    decoder.delete();
  }
};

const jpegLsFrame = 0xf7;

const isException = (error: unknown): boolean =>
  typeof error === "object" && error !== null && error.constructor?.name === "CppException";
