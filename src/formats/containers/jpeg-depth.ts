import { fail } from "../../core/errors.ts";
import { headSegments } from "./jpeg-segments.ts";

/** Markers in the range of frame markers (ITU-T T.81, table B.1) that are not frames. */
const noFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/**
 * Throws `unreadable` for a JPEG of more than 8 bits, on which libvips would fail only when
 * rendering.
 */
export const checkJpegDepth = (bytes: Uint8Array): void => {
  const frame = headSegments(bytes)?.find(
    ({ marker }) => marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker),
  );
  const bits = frame && bytes[frame.at + 4];
  if (bits !== undefined && bits !== 8)
    fail("unreadable", `Expected an 8-bit JPEG; this one has ${bits} bits.`);
};
