import type { EncodeJob } from "./job.ts";

/**
 * Runs jobs on the calling thread; each encoder is loaded on first use, with at most so many bytes
 * of memory, or its module's default.
 */
export const createSampleEncoder = (max?: number): ((job: EncodeJob) => Promise<Uint8Array>) => {
  const jpeg2000 = once(async () => (await import("./jpeg2000.ts")).createJpeg2000Encoder(max));
  const jpegXl = once(async () => (await import("./jpegxl.ts")).createJpegXlEncoder(max));
  return async (job) => (job.kind === "jpeg2000" ? (await jpeg2000())(job) : (await jpegXl())(job));
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
