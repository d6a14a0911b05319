import { fail } from "../../core/errors.ts";
import { area, round, type Size } from "../../core/geometry.ts";
import type { ReducedSamples } from "../shared/index.ts";
import type { HeifJxlImage, HeifJxlLimits, HeifJxlPage, Tile } from "./contract.ts";
import {
  codestreamOf,
  type JpegXlEngine,
  type JpegXlHeader,
  Refusal,
  readHeader,
  startEngine,
} from "./jpegxl/index.ts";

/** Maximum number of frames that are pages. */
const maxFrames = 10_000;

/** Maximum bytes of a profile; longer ones are ignored. */
const largestProfile = 16_777_216;

/**
 * Opens JPEG XL files (ISO/IEC 18181), bare or in boxes: each frame is a page, and decoded whole.
 */
export const jpegXlOpener = async ({
  memory,
}: Pick<HeifJxlLimits, "memory">): Promise<
  (bytes: Uint8Array, limits: HeifJxlLimits) => HeifJxlImage
> => {
  const engine = await startEngine(memory);
  return (bytes, limits) => {
    const codestream = codestreamOf(bytes) ?? damaged();
    const header = readHeader(codestream) ?? damaged();
    checkKind(header);
    checkCost(header, limits);
    const { page, frames } = describe(engine, codestream, header);
    return {
      pages: Array.from({ length: frames }, () => page),
      offset: () => ({ x: 0, y: 0 }),
      tile: (frame) => decodeFrame(engine, { codestream, header, page, frame }),
      // The decoder itself caches nothing.
      close() {},
    };
  };
};

const damaged = (cause?: unknown): never =>
  fail(
    "unreadable",
    "Expected a complete JPEG XL image that can be decoded in 768 MB; this one is corrupt, truncated or needs more.",
    cause,
  );

/** libjxl's exceptions mean corrupt data. */
const sound = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return damaged(error);
    throw error;
  }
};

/** Refuses by name what libvips misinterprets. */
const checkKind = ({ extras }: JpegXlHeader): void => {
  if (extras.some(({ kind }) => kind === "black ink"))
    fail("unreadable", "Expected a JPEG XL in grey or RGB; CMYK is not supported.");
  const [first, ...others] = extras.filter(({ isAlpha }) => !isAlpha);
  if (first !== undefined || extras.length > 1) {
    const found = [first ?? { kind: "a second opacity" }, ...others].map(({ kind }) => kind);
    fail(
      "unreadable",
      `Expected a JPEG XL with colour channels and at most one alpha channel; this one has ${found.join(", ")}.`,
    );
  }
};

const checkCost = ({ size, bits, extras }: JpegXlHeader, limits: HeifJxlLimits): void => {
  const pixels = area(size);
  if (pixels > limits.pixels)
    fail(
      "unreadable",
      `Expected a JPEG XL image of at most ${limits.pixels} pixels; this one has ${pixels}.`,
    );
  // The description of its colours comes later: three at most.
  const samples = pixels * (3 + extras.length);
  const bytes = samples * (bits > 8 ? 2 : 1);
  if (bytes > limits.decoded)
    fail(
      "unreadable",
      `Expected a JPEG XL image of at most ${limits.decoded} bytes once decoded; this one takes ${round(bytes)}.`,
    );
  // The engine cannot be limited to less memory than it begins with.
  if (samples * bytesPerSample > limits.memory)
    fail(
      "unreadable",
      `Expected a JPEG XL image that takes at most ${limits.memory} bytes to decode; this one takes some ${samples * bytesPerSample}.`,
    );
};

/** Memory of decoding per sample in bytes, rounded up from measurements. */
const bytesPerSample = 16;

const describe = (
  engine: JpegXlEngine,
  codestream: Uint8Array,
  header: JpegXlHeader,
): { readonly page: HeifJxlPage; readonly frames: number } => {
  const { size, channels, frames, profile } = sound(() => engine.outline(codestream));
  const colours = channels - header.extras.length;
  if ((colours !== 1 && colours !== 3) || !isTurned(size, header)) return damaged();
  const page: HeifJxlPage = {
    size,
    // Frames come upright.
    orientation: 1,
    tile: size,
    bits: header.bits,
    model: colours === 1 ? "grey" : "rgb",
    alpha: header.extras.length > 0,
    profile: profile !== undefined && profile.length <= largestProfile ? profile : undefined,
  };
  return { page, frames: header.animated ? Math.min(Math.max(1, frames), maxFrames) : 1 };
};

/** Whether a size is that of the header once upright. */
const isTurned = (upright: Size, { size, orientation }: JpegXlHeader): boolean => {
  const [width, height] = orientation > 4 ? [size.height, size.width] : [size.width, size.height];
  return upright.width === width && upright.height === height;
};

interface FrameWanted {
  readonly codestream: Uint8Array;
  readonly header: JpegXlHeader;
  readonly page: HeifJxlPage;
  readonly frame: number;
}

const decodeFrame = (
  engine: JpegXlEngine,
  { codestream, header, page, frame }: FrameWanted,
): Tile => {
  const { size, channels, values: given } = sound(() => engine.decode(codestream, frame));
  const values = given instanceof Float32Array ? counted(given) : given;
  if (size.width !== page.size.width || size.height !== page.size.height) return damaged();
  if (header.extras.some(({ premultiplied }) => premultiplied)) divideByOpacity(values, channels);
  return { size, values, channels, depth: values instanceof Uint8Array ? 8 : 16 };
};

/** Converts floating point, scaled from 0 to 1, to 16 bits. */
const counted = (values: Float32Array): Uint16Array => {
  const all = new Uint16Array(values.length);
  for (let at = 0; at < all.length; at++) {
    // NaN becomes 0.
    const value = values[at] || 0;
    all[at] = Math.round(Math.max(0, Math.min(1, value)) * 65_535);
  }
  return all;
};

/** Undoes premultiplication by opacity, which is the last channel of each pixel. */
const divideByOpacity = (values: ReducedSamples, channels: number): void => {
  const top = values instanceof Uint8Array ? 255 : 65_535;
  for (let at = 0; at < values.length; at += channels) {
    const opacity = values[at + channels - 1] ?? 0;
    if (opacity === 0 || opacity === top) continue;
    for (let channel = at; channel < at + channels - 1; channel++)
      values[channel] = Math.min(top, Math.round(((values[channel] ?? 0) * top) / opacity));
  }
};
