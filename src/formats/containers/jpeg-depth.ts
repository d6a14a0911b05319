import { fail } from "../../core/errors.ts";
import { headSegments, isFrame } from "./jpeg-segments.ts";

/**
 * Throws `unreadable` for a JPEG of more than 8 bits, on which libvips would fail only when
 * rendering.
 */
export const checkJpegDepth = (bytes: Uint8Array): void => {
  const frame = headSegments(bytes)?.find(({ marker }) => isFrame(marker));
  const bits = frame && bytes[frame.at + 4];
  if (bits !== undefined && bits !== 8)
    fail("unreadable", `Expected an 8-bit JPEG; this one has ${bits} bits.`);
};
