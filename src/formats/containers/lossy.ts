import { frameOf, headSegments } from "./jpeg-segments.ts";

/**
 * Whether a JPEG stores its colours at less than full resolution; undefined where its frame is not
 * among the given bytes, its first ones.
 */
export const isSubsampledJpeg = (bytes: Uint8Array): boolean | undefined => {
  // The segments end with the first scan, or are cut off where the bytes end.
  const frame = frameOf(bytes, headSegments(bytes) ?? []);
  if (frame === undefined) return undefined;
  const [first, ...others] = frame.components;
  return others.some(({ h, v }) => first !== undefined && (h < first.h || v < first.v));
};

/** Whether the first bytes of a WebP name lossless data (RIFF chunk `VP8L`). */
export const isLosslessWebp = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("VP8L", 12, "latin1");
