import { setImmediate } from "node:timers/promises";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { createVipsDecoder, open, rasterOf, readingFailed } from "../libvips/index.ts";
import type { Decoder, Raster } from "../shared/index.ts";
import { requirePage } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import {
  type Animation,
  type ApngFrame,
  beginningOf,
  draw,
  frameFile,
  newCanvas,
  partOf,
  readAnimation,
  restore,
} from "./apng/index.ts";

type ReadingSettings = () => Settings<typeof decodingKeys>;

/** Maximum bytes of a cached canvas. */
const maxRemembered = 33_554_432;

/** A canvas has four bytes per pixel. */
const bytesPerPixel = 4;

/**
 * Reads PNG through libvips. Of an animation the first page is the still image, and the others are
 * the canvas during each frame that is not the still image.
 */
export const createPngDecoder = (settings: ReadingSettings): Decoder => {
  const still = createVipsDecoder("png", settings);
  /** The latest one: the tiles of a frame are requested one after the other. */
  let last:
    | { readonly info: ImageInfo; readonly page: number; readonly canvas: Uint8Array }
    | undefined;

  return {
    ...still,

    async info(reader, signal) {
      const info = await still.info(reader, signal);
      const animation = await readAnimation(reader, signal);
      const [first] = info.pages;
      const frames = animation ? framesOf(animation).length : 0;
      const page = frameOf(first);
      return { ...info, pages: [first, ...Array.from({ length: frames }, () => page)] };
    },

    async read(reader, info, window, plan, signal): Promise<Raster> {
      if (window.page === 0) return still.read(reader, info, window, plan, signal);
      const page = requirePage(info, window.page);
      const { size } = page;
      const canvas =
        last?.info === info && last.page === window.page
          ? last.canvas
          : await compose(reader, { page: window.page, size, settings, signal });
      if (canvas.length <= maxRemembered) last = { info, page: window.page, canvas };
      const profile =
        page.colour.profile === "none" || page.colour.profile === "srgb"
          ? undefined
          : await profileOf(reader, settings, signal);
      const picture = { values: canvas, channels: bytesPerPixel, depth: 8 } as const;
      const seconds = settings()["processor.timeout"];
      const image = rasterOf(picture, { size, model: "rgb", profile, seconds });
      return { image, size, covers: { x: 0, y: 0, ...size } };
    },
  };
};

/** The frames that are pages besides the still image. */
const framesOf = ({ frames, beginsWithPicture }: Animation): readonly ApngFrame[] =>
  beginsWithPicture ? frames.slice(1) : frames;

/** Frames are composited in colours of eight bits, with transparency. */
const frameOf = ({ size, orientation, levels, colour }: Page): Page => ({
  size,
  orientation,
  levels,
  colour: {
    bits: 8,
    model: "rgb",
    alpha: true,
    profile: colour.model === "rgb" ? colour.profile : "none",
  },
});

interface FrameRequest {
  readonly page: number;
  readonly size: Page["size"];
  readonly settings: ReadingSettings;
  readonly signal: AbortSignal;
}

/** The canvas during a frame (PNG, third edition, 11.3.6.2). */
const compose = async (reader: RangeReader, wanted: FrameRequest): Promise<Uint8Array> => {
  const { page, size, settings, signal } = wanted;
  const max = settings()["processor.max_decoded_bytes"];
  if (area(size) * bytesPerPixel * 2 > max)
    fail("unreadable", `Expected an animation whose canvas takes at most ${max / 2} bytes.`);
  const animation = await readAnimation(reader, signal);
  const target = page - 1 + (animation?.beginsWithPicture ? 1 : 0);
  if (animation?.frames[target] === undefined)
    return fail("unreadable", "The frames of the PNG changed while it was open.");
  const seconds = settings()["processor.timeout"];
  const end = seconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1_000;
  const beginning = beginningOf(animation.frames, size, target);
  checkFrames(
    animation.frames.slice(beginning, target + 1),
    settings()["processor.max_scanned_pixels"],
  );
  const canvas = newCanvas(size);
  for (let at = beginning; at <= target; at++) {
    signal.throwIfAborted();
    if (performance.now() > end)
      fail("late", "Rendering the frames of the PNG up to this one took too long.");
    const frame = animation.frames[at] as ApngFrame;
    const file = await frameFile(reader, animation, frame, { max, signal });
    const pixels = await pixelsOf(file, frame, seconds);
    const before =
      at < target && frame.dispose === "previous" ? partOf(canvas, size, frame.rect) : undefined;
    draw(canvas, size, frame, pixels);
    // There is nothing before the first frame.
    if (at < target && frame.dispose !== "none") restore(canvas, size, frame.rect, before);
    await setImmediate();
  }
  return canvas;
};

/** Cost of a frame's pixel: decoding and compositing. */
const workPerPixel = 2;

const checkFrames = (frames: readonly ApngFrame[], max: number): void => {
  const pixels = frames.reduce((sum, { rect }) => sum + area(rect), 0);
  if (pixels * workPerPixel > max)
    fail(
      "unreadable",
      `Expected a frame that depends on at most ${max / workPerPixel} pixels of earlier frames; this one depends on ${pixels}.`,
    );
};

const pixelsOf = async (
  file: Uint8Array,
  { rect }: ApngFrame,
  seconds: number,
): Promise<Uint8Array> => {
  const options = { limitInputPixels: area(rect), ignoreIcc: true };
  try {
    return await open(file, { as: "png", options, seconds })
      .toColourspace("srgb")
      .ensureAlpha()
      .raw({ depth: "uchar" })
      .toBuffer();
  } catch (error) {
    throw readingFailed(error, "PNG");
  }
};

const profileOf = async (
  reader: RangeReader,
  settings: ReadingSettings,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  const animation = await readAnimation(reader, signal);
  const first = animation?.frames[0];
  if (animation === undefined || first === undefined) return undefined;
  const max = settings()["processor.max_decoded_bytes"];
  const file = await frameFile(reader, animation, first, { max, signal });
  const seconds = settings()["processor.timeout"];
  return (await open(file, { as: "png", options: { limitInputPixels: false }, seconds }).metadata())
    .icc;
};
