import type { Rect, Size } from "../../../core/geometry.ts";
import type { ApngFrame } from "./animation.ts";

/** Red, green, blue and opacity, not premultiplied, 8 bits each. */
const channels = 4;

/** Pixels that frames are drawn on, initially transparent. */
export const newCanvas = (size: Size): Uint8Array =>
  new Uint8Array(size.width * size.height * channels);

/** The last frame up to `wanted` that hides everything drawn before it, counted from 0. */
export const beginningOf = (frames: readonly ApngFrame[], size: Size, wanted: number): number => {
  for (let index = wanted; index > 0; index--) {
    const frame = frames[index];
    // A frame that is later undone needs what was there before.
    const needsNothing = index === wanted || frame?.dispose !== "previous";
    if (frame?.blend === "source" && isWhole(frame, size) && needsNothing) return index;
    const before = frames[index - 1];
    if (before?.dispose === "background" && isWhole(before, size)) return index;
  }
  return 0;
};

const isWhole = ({ rect }: ApngFrame, size: Size): boolean =>
  rect.width === size.width && rect.height === size.height;

/** Draws a frame's pixels, as many as its rectangle has. */
export const draw = (
  canvas: Uint8Array,
  { width }: Size,
  { rect, blend }: ApngFrame,
  pixels: Uint8Array,
): void => {
  const line = rect.width * channels;
  for (let y = 0; y < rect.height; y++) {
    const from = pixels.subarray(y * line, (y + 1) * line);
    const at = ((rect.y + y) * width + rect.x) * channels;
    if (blend === "source") canvas.set(from, at);
    else layOver(canvas.subarray(at, at + line), from);
  }
};

/** One row over another (PNG, third edition, 13.16). */
const layOver = (below: Uint8Array, above: Uint8Array): void => {
  for (let at = 0; at < above.length; at += channels) {
    const opacity = above[at + 3] ?? 0;
    if (opacity === 0) continue;
    const under = ((below[at + 3] ?? 0) * (255 - opacity)) / 255;
    const whole = opacity + under;
    for (let channel = 0; channel < 3; channel++) {
      const mixed = (above[at + channel] ?? 0) * opacity + (below[at + channel] ?? 0) * under;
      below[at + channel] = mixed / whole + 0.5;
    }
    below[at + 3] = whole + 0.5;
  }
};

/** The pixels of a part. */
export const partOf = (canvas: Uint8Array, { width }: Size, rect: Rect): Uint8Array => {
  const line = rect.width * channels;
  const part = new Uint8Array(line * rect.height);
  for (let y = 0; y < rect.height; y++) {
    const at = ((rect.y + y) * width + rect.x) * channels;
    part.set(canvas.subarray(at, at + line), y * line);
  }
  return part;
};

/** Restores pixels from `partOf`, or makes the part transparent. */
export const restore = (
  canvas: Uint8Array,
  { width }: Size,
  rect: Rect,
  part: Uint8Array | undefined,
): void => {
  const line = rect.width * channels;
  for (let y = 0; y < rect.height; y++) {
    const at = ((rect.y + y) * width + rect.x) * channels;
    if (part === undefined) canvas.fill(0, at, at + line);
    else canvas.set(part.subarray(y * line, (y + 1) * line), at);
  }
};
