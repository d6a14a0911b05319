import { fail } from "../../core/errors.ts";
import { area, round } from "../../core/geometry.ts";
import { compileWasm } from "../../core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "../heap-codec.ts";
import { orientationOf } from "../orientation.ts";
import { Renewed } from "../unpacker.ts";
import type { ForeignLimits, ForeignPage, ForeignPicture, Tile } from "./contract.ts";

/** What is used of codecs/jpegxl.wasm for whole files; its numbers are of the last `look`. */
interface JpegXl extends HeapCodec {
  /** Reads what a picture is; 0 where that fails. */
  look(from: number, length: number): number;
  /** Reads the profile of the samples that come out; 0 where that fails. */
  lookAtProfile(from: number, length: number): number;
  profileAt(): number;
  profileBytes(): number;
  /** How many frames there are, counted up to `most`. */
  countFrames(from: number, length: number, most: number): number;
  /** Decodes a frame into numbers of a type, colours not multiplied by their opacity if `plain`; 0 where that fails. */
  decode(from: number, length: number, type: number, frame: number, plain: number): number;
  forget(): void;
  width(): number;
  height(): number;
  bits(): number;
  orientation(): number;
  animated(): number;
  /** 1 or 3. */
  colours(): number;
  /** Channels that are no colour, transparency included. */
  extras(): number;
  /** Which of them is what, counted from 0; -1 for none. */
  alphaChannel(): number;
  blackChannel(): number;
  coloursAt(): number;
  extrasAt(): number;
}

/** Frames beyond this many are no pages. */
const mostFrames = 10_000;

/** Beyond this much, in bytes, a profile is left out. */
const largestProfile = 16_777_216;

/** Opens JPEG XL files (ISO/IEC 18181), bare or in boxes: each frame is a page, and decoded whole. */
export const jpegXlOpener = async (): Promise<
  (bytes: Uint8Array, limits: ForeignLimits) => ForeignPicture
> => {
  const module = await compileWasm("codecs", "jpegxl");
  const codecs = new Renewed<JpegXl>(() => newHeapCodec(module));
  return (bytes, limits) => {
    const { page, frames, sources } = codecs.with((codec) =>
      withBytes(codec, bytes, (from) => describe(codec, { from, length: bytes.length }, limits)),
    );
    return {
      pages: Array.from({ length: frames }, () => page),
      offset: () => ({ x: 0, y: 0 }),
      tile: (frame) =>
        codecs.with((codec) =>
          withBytes(codec, bytes, (from) =>
            decodeFrame(codec, { from, length: bytes.length }, { page, sources, frame }),
          ),
        ),
      // Nothing is kept within the decoder.
      close() {},
    };
  };
};

/** The decoder's own numbers for types of numbers. */
const types = { bytes: 2, shorts: 3 } as const;

const damaged = (): never =>
  fail("unreadable", "Expected a whole JPEG XL picture; the file is damaged or ends too early.");

/** Which extra channels count. */
interface Sources {
  readonly alpha: number;
  readonly black: number;
}

const describe = (
  codec: JpegXl,
  { from, length }: { readonly from: number; readonly length: number },
  limits: ForeignLimits,
): { page: ForeignPage; frames: number; sources: Sources } => {
  if (codec.look(from, length) === 0) damaged();
  const size = { width: codec.width(), height: codec.height() };
  const sources = { alpha: codec.alphaChannel(), black: codec.blackChannel() };
  const bits = codec.bits();
  checkCost(area(size), (codec.colours() + codec.extras()) * (bits > 8 ? 2 : 1), limits);
  const page: ForeignPage = {
    size,
    orientation: orientationOf(codec.orientation()),
    tile: size,
    bits,
    model: codec.colours() === 1 ? "grey" : sources.black >= 0 ? "cmyk" : "rgb",
    alpha: sources.alpha >= 0,
    profile: profileIn(codec, from, length),
  };
  const frames = codec.animated() === 0 ? 1 : codec.countFrames(from, length, mostFrames);
  if (frames === 0) damaged();
  return { page, frames, sources };
};

const checkCost = (pixels: number, bytesPerPixel: number, limits: ForeignLimits): void => {
  if (pixels > limits.pixels)
    fail(
      "unreadable",
      `Expected a JPEG XL picture of at most ${limits.pixels} pixels; this one has ${pixels}.`,
    );
  const bytes = pixels * bytesPerPixel;
  if (bytes > limits.decoded)
    fail(
      "unreadable",
      `Expected a JPEG XL picture of at most ${limits.decoded} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};

const profileIn = (codec: JpegXl, from: number, length: number): Uint8Array | undefined => {
  if (codec.lookAtProfile(from, length) === 0) return undefined;
  const bytes = codec.profileBytes();
  if (bytes === 0 || bytes > largestProfile) return undefined;
  return new Uint8Array(codec.memory.buffer, codec.profileAt() >>> 0, bytes).slice();
};

interface FrameWanted {
  readonly page: ForeignPage;
  readonly sources: Sources;
  readonly frame: number;
}

const decodeFrame = (
  codec: JpegXl,
  { from, length }: { readonly from: number; readonly length: number },
  wanted: FrameWanted,
): Tile => {
  const depth = wanted.page.bits > 8 ? 16 : 8;
  const type = depth === 8 ? types.bytes : types.shorts;
  const isWhole =
    codec.look(from, length) !== 0 && codec.decode(from, length, type, wanted.frame, 1) !== 0;
  if (!isWhole) damaged();
  const tile = samplesOf(codec, wanted, depth);
  codec.forget();
  return tile;
};

const samplesOf = (codec: JpegXl, { page, sources }: FrameWanted, depth: 8 | 16): Tile => {
  const size = { width: codec.width(), height: codec.height() };
  const pixels = area(size);
  const colours = codec.colours();
  const planes = [
    ...(page.model === "cmyk" ? [sources.black] : []),
    ...(page.alpha ? [sources.alpha] : []),
  ];
  const channels = colours + planes.length;
  const kind = depth === 8 ? Uint8Array : Uint16Array;
  const { buffer } = codec.memory;
  const colour = new kind(buffer, codec.coloursAt() >>> 0, pixels * colours);
  const extras = planes.map((plane) => {
    const at = (codec.extrasAt() >>> 0) + plane * pixels * kind.BYTES_PER_ELEMENT;
    return new kind(buffer, at, pixels);
  });
  const values =
    extras.length === 0
      ? colour.slice()
      : interleaved(new kind(pixels * channels), { colour, colours, extras });
  if (page.model === "cmyk") invertInks(values, channels, 2 ** depth - 1);
  return { values, depth, channels, size };
};

const interleaved = (
  values: Tile["values"],
  {
    colour,
    colours,
    extras,
  }: {
    readonly colour: Tile["values"];
    readonly colours: number;
    readonly extras: readonly Tile["values"][];
  },
): Tile["values"] => {
  for (let to = 0, from = 0, pixel = 0; to < values.length; pixel++) {
    for (let index = 0; index < colours; index++) values[to++] = colour[from++] ?? 0;
    for (const extra of extras) values[to++] = extra[pixel] ?? 0;
  }
  return values;
};

/** JPEG XL has 0 for all of an ink (ISO/IEC 18181-1, annex on extra channels), others for none. */
const invertInks = (values: Tile["values"], channels: number, top: number): void => {
  for (let at = 0; at < values.length; at += channels)
    for (let ink = 0; ink < 4; ink++) values[at + ink] = top - (values[at + ink] ?? 0);
};
