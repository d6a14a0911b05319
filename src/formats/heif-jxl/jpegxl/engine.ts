import type { Start, Vips, VipsImage } from "wasm-vips";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";

/** A frame as libjxl returns it, upright. */
export interface JpegXlFrame {
  readonly size: Size;
  /** Channels per pixel: the colours, then opacity, if any. */
  readonly channels: number;
  /** Bytes for up to 8 bits, 16 bits for more; floating point is scaled from 0 to 1. */
  readonly values: Uint8Array | Uint16Array | Float32Array;
}

/** What is known of an image before its pixels are decoded. */
export interface Outline {
  readonly size: Size;
  readonly channels: number;
  readonly frames: number;
  /** Of the samples that `decode` returns. */
  readonly profile: Uint8Array | undefined;
}

/** An image to be written. */
export interface EncodedImage {
  readonly size: Size;
  /** 1 or 3 colours, then opacity, if any. */
  readonly channels: number;
  readonly samples: Uint8Array | Uint16Array;
  /** ICC; without one the samples are sRGB, or grey with its curve. */
  readonly profile: Uint8Array | undefined;
  /** In just noticeable differences; 0 is lossless. */
  readonly distance: number;
  /** 1 to 9. */
  readonly effort: number;
}

/** libjxl, for one thread. Throws `Broken` where it is unusable afterwards. */
export interface JpegXlEngine {
  /** Accepts bare codestreams only. Throws a `Refusal` where one is corrupt. */
  outline(codestream: Uint8Array): Outline;
  /** Decodes a frame, counted from 0; throws as `outline` does. */
  decode(codestream: Uint8Array, frame: number): JpegXlFrame;
  /** A JPEG XL in boxes; throws a `Refusal` where memory is insufficient. */
  encode(picture: EncodedImage): Uint8Array;
}

/** libvips or libjxl refused the operation. */
export class Refusal extends Error {}

/**
 * The engine crashed, for lack of memory or with a WebAssembly trap, which it is named after: its
 * thread has to end.
 */
export class Broken extends Error {
  constructor(cause: unknown) {
    super("libvips broke down", { cause });
    this.name = "RuntimeError";
  }
}

const pageBytes = 65_536;
/** Initial memory of the package, which is only touched as needed. */
const minPages = 4_096;

/**
 * Starts an engine with limited memory (268,435,456 bytes or more). Throws `unreadable` where the
 * package is not installed.
 */
export const startEngine = async (maxBytes: number): Promise<JpegXlEngine> => {
  const start = await load();
  const vips = await start({
    dynamicLibraries: ["vips-jxl.wasm"],
    wasmMemory: new WebAssembly.Memory({
      initial: minPages,
      maximum: Math.max(minPages, Math.floor(maxBytes / pageBytes)),
      shared: true,
    }),
    // Keeps libraries' messages about corrupt data out of the server's output.
    print() {},
    printErr() {},
  });
  vips.concurrency(1);
  vips.Cache.max(0);
  return engineOf(vips);
};

const load = async (): Promise<Start> => {
  try {
    return (await import("wasm-vips")).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return fail(
      "unreadable",
      "Expected JPEG XL to be decoded here; the package wasm-vips is missing (npm install wasm-vips).",
      error,
    );
  }
};

const engineOf = ({ Image }: Vips): JpegXlEngine => {
  const opened = <T>(codestream: Uint8Array, frame: number, use: (image: VipsImage) => T): T =>
    released(() => Image.jxlloadBuffer(codestream, { page: frame }), use);
  return {
    outline: (codestream) =>
      opened(codestream, 0, (image) => ({
        size: { width: image.width, height: image.height },
        channels: image.bands,
        frames: intIn(image, "n-pages", 1),
        profile: profileIn(image),
      })),
    decode: (codestream, frame) =>
      opened(codestream, frame, (image) => ({
        size: { width: image.width, height: image.height },
        channels: image.bands,
        values: image.writeToMemory(),
      })),
    encode: ({ size, channels, samples, profile, distance, effort }) => {
      const deep = samples instanceof Uint16Array;
      const { width, height } = size;
      const make = (): VipsImage =>
        Image.newFromMemory(samples, width, height, channels, deep ? "ushort" : "uchar");
      return released(make, (raw) =>
        released(
          () => raw.copy({ interpretation: interpretationOf(channels, deep) }),
          (image) => {
            if (profile) image.setBlob(profileField, profile);
            return image.jxlsaveBuffer(
              distance === 0 ? { lossless: true, effort } : { distance, effort },
            );
          },
        ),
      );
    },
  };
};

const profileField = "icc-profile-data";

const profileIn = (image: VipsImage): Uint8Array | undefined =>
  // A copy: libvips may return its own memory.
  image.getTypeof(profileField) === 0 ? undefined : Uint8Array.from(image.getBlob(profileField));

const intIn = (image: VipsImage, name: string, otherwise: number): number =>
  image.getTypeof(name) === 0 ? otherwise : image.getInt(name);

const interpretationOf = (channels: number, deep: boolean): string => {
  if (channels < 3) return deep ? "grey16" : "b-w";
  return deep ? "rgb16" : "srgb";
};

/** Uses an image and frees its memory. */
const released = <T>(make: () => VipsImage, use: (image: VipsImage) => T): T => {
  let image: VipsImage | undefined;
  try {
    image = make();
    return use(image);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw isOfVips(error) ? new Refusal(error.message[1]?.trim()) : new Broken(error);
  } finally {
    image?.delete();
  }
};

/** C++ exceptions are no `Error`s: their message is a type and a text. */
const isOfVips = (error: unknown): error is { readonly message: readonly string[] } =>
  typeof error === "object" &&
  error !== null &&
  "message" in error &&
  Array.isArray(error.message) &&
  error.message[0] === "vips::Error";
