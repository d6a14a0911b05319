import type { EncodeJob } from "./job.ts";

/** Carries out jobs on the calling thread; each encoder is loaded once, when it is first needed. */
export const createSampleEncoder = (): ((job: EncodeJob) => Promise<Uint8Array>) => {
  const jpeg2000 = once(async () => (await import("./jpeg2000.ts")).createJpeg2000Encoder());
  const jpegXl = once(async () => (await import("./jpegxl.ts")).createJpegXlEncoder());
  return async (job) => (job.kind === "jpeg2000" ? (await jpeg2000())(job) : (await jpegXl())(job));
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
