import sharp from "sharp";
import type { FormatName } from "../src/core/formats.ts";
import { type Rect, type Size, upright } from "../src/core/geometry.ts";
import type { Colour, ImageInfo, Level, Page } from "../src/core/info.ts";
import type { Plan } from "../src/core/plan.ts";
import type { RangeReader } from "../src/core/range-reader.ts";
import type { Codec, Decoder } from "../src/formats/shared/codec.ts";
import { encoders } from "../src/formats/write/encode.ts";
import { render } from "../src/render/render.ts";

/** An image to render: its info, and its pixels. */
export interface Drawable {
  readonly info: ImageInfo;
  readonly decoder: Decoder;
  /** The bytes that the decoder reads; absent where it reads none. */
  readonly reader?: RangeReader;
}

const plain: Colour = { bits: 8, model: "rgb", alpha: false, profile: "none" };

/** A file that is always decoded whole. */
export const wholeFile = (
  encoded: Uint8Array,
  size: Size,
  facts: Partial<Pick<Page, "orientation">> & { readonly colour?: Partial<Colour> } = {},
): Drawable => {
  const page: Page = {
    size,
    orientation: facts.orientation ?? 1,
    levels: [{ size, tile: size }],
    colour: { ...plain, ...facts.colour },
  };
  const ignoreIcc = page.colour.profile === "none" || page.colour.profile === "srgb";
  return {
    info: { format: "png", pages: [page] },
    decoder: {
      info: async () => ({ format: "png", pages: [page] }),
      read: async () => ({
        image: sharp(encoded, { limitInputPixels: false, ignoreIcc }),
        size,
        covers: { x: 0, y: 0, ...size },
      }),
    },
  };
};

/**
 * How a pyramid's sides are rounded, and whether a level ends with the page or with its own last
 * pixel.
 */
export interface PyramidOptions {
  readonly levels: number;
  readonly rounds: "up" | "down";
  readonly tile: number;
  readonly step?: number;
  readonly orientation?: Page["orientation"];
}

/** A pyramid of which only the stored tiles that a window touches are read. */
export const pyramid = async (
  encoded: Uint8Array,
  size: Size,
  { levels: count, rounds, tile, step = 2, orientation = 1 }: PyramidOptions,
): Promise<Drawable> => {
  const files: { readonly level: Level; readonly factor: number; readonly file: Uint8Array }[] = [];
  for (let n = 0; n < count; n++) {
    const factor = step ** n;
    const side = (length: number): number =>
      Math.max(1, rounds === "up" ? Math.ceil(length / factor) : Math.floor(length / factor));
    const small = { width: side(size.width), height: side(size.height) };
    files.push({
      level: { size: small, tile: { width: tile, height: tile } },
      factor,
      file: n === 0 ? encoded : await reduce(encoded, size, small, factor),
    });
  }
  const [first, ...others] = files.map(({ level }) => level);
  if (!first) throw new Error("Expected at least one level");
  const page: Page = { size, orientation, levels: [first, ...others], colour: plain };
  return {
    info: { format: "tif", pages: [page] },
    decoder: {
      info: async () => ({ format: "tif", pages: [page] }),
      read: async (_reader, _info, { region, atLeast }) => {
        const fits = files.filter(
          ({ factor }) =>
            region.width / factor > atLeast.width - 1 &&
            region.height / factor > atLeast.height - 1,
        );
        const { level, factor, file } = fits.at(-1) ?? (files[0] as (typeof files)[0]);
        const from = (at: number): number => Math.floor(at / factor / tile) * tile;
        const to = (at: number, side: number): number =>
          Math.min(side, Math.ceil(at / factor / tile) * tile);
        const x = Math.min(from(region.x), level.size.width - 1);
        const y = Math.min(from(region.y), level.size.height - 1);
        const part: Rect = {
          x,
          y,
          width: Math.max(1, to(region.x + region.width, level.size.width) - x),
          height: Math.max(1, to(region.y + region.height, level.size.height) - y),
        };
        const pixels = await sharp(file, { limitInputPixels: false })
          .extract({ left: part.x, top: part.y, width: part.width, height: part.height })
          .tiff({ compression: "none" })
          .toBuffer();
        return {
          image: sharp(pixels),
          size: { width: part.width, height: part.height },
          covers: {
            x: part.x * factor,
            y: part.y * factor,
            width: part.width * factor,
            height: part.height * factor,
          },
        };
      },
    },
  };
};

/** Box averages over whole blocks, the last ones padded by repetition, as pyramid writers do. */
const reduce = async (
  encoded: Uint8Array,
  size: Size,
  small: Size,
  factor: number,
): Promise<Uint8Array> => {
  const filled = { width: small.width * factor, height: small.height * factor };
  const cut = {
    left: 0,
    top: 0,
    width: Math.min(size.width, filled.width),
    height: Math.min(size.height, filled.height),
  };
  const whole = await sharp(encoded, { limitInputPixels: false })
    .extract(cut)
    .extend({
      right: filled.width - cut.width,
      bottom: filled.height - cut.height,
      extendWith: "copy",
    })
    .removeAlpha()
    .raw()
    .toBuffer();
  const data = new Uint8Array(small.width * small.height * 3);
  const mean = (x: number, y: number, c: number): number => {
    let sum = 0;
    for (let n = 0; n < factor ** 2; n++) {
      const row = y * factor + Math.floor(n / factor);
      sum += whole[(row * filled.width + x * factor + (n % factor)) * 3 + c] ?? 0;
    }
    return Math.floor(sum / factor ** 2 + 0.5);
  };
  for (let y = 0; y < small.height; y++)
    for (let x = 0; x < small.width; x++)
      for (let c = 0; c < 3; c++) data[(y * small.width + x) * 3 + c] = mean(x, y, c);
  return sharp(data, { raw: { ...small, channels: 3 } })
    .tiff({ compression: "none" })
    .toBuffer();
};

/** A plan for the whole page in a format, with `changes`. */
export const planFor = ({ info }: Drawable, changes: Partial<Plan> = {}): Plan => {
  const [page] = info.pages;
  const size = upright(page.size, page.orientation);
  return {
    identifier: "picture",
    page: 0,
    orientation: page.orientation,
    crop: { x: 0, y: 0, ...size },
    size: changes.crop ?? size,
    mirror: false,
    rotation: 0,
    quality: "default",
    format: "png",
    downscaleFilter: "bicubic",
    upscaleFilter: "bicubic",
    linear: false,
    sharpen: 0,
    background: [255, 255, 255],
    colour: "keep",
    deep: false,
    encoding: {},
    sourceVersion: "1",
    ...changes,
  };
};

/** Renders a plan with the real pipeline. */
export const drawn = (
  drawable: Drawable,
  changes: Partial<Plan> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array> => {
  const codecs: Partial<Record<FormatName, Codec>> = {};
  for (const [name, encoder] of Object.entries(encoders)) codecs[name as FormatName] = { encoder };
  const { format } = drawable.info;
  codecs[format] = { ...codecs[format], decoder: drawable.decoder };
  return render(
    planFor(drawable, changes),
    drawable.reader ?? noBytes,
    drawable.info,
    codecs,
    signal,
  );
};

const noBytes: RangeReader = {
  size: 0,
  read: async () => new Uint8Array(),
  stream: () => {
    throw new Error("These pictures have no bytes");
  },
  close: async () => {},
};

/**
 * An image without symmetry: two ramps, a blue corner, lettered blocks, and fine detail to alias.
 */
export const testPicture = (size: Size): Promise<Uint8Array> => {
  const { width, height } = size;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const n = (y * width + x) * 3;
      const block = ((x >> 4) + (y >> 4) * 3) % 5 === 0 ? 60 : 0;
      const ripple = 30 * Math.sin((x * x + y * 3 * y) / 900);
      data[n] = clamp((x * 200) / width + block + ripple);
      data[n + 1] = clamp((y * 200) / height + 20 - ripple);
      data[n + 2] = clamp(x < width / 3 && y < height / 4 ? 230 : 40 + block + noise(x, y));
    }
  return sharp(data, { raw: { ...size, channels: 3 } })
    .tiff({ compression: "none" })
    .toBuffer();
};

const clamp = (value: number): number => Math.min(255, Math.max(0, Math.floor(value + 0.5)));

const noise = (x: number, y: number): number => ((x * 7919 + y * 104_729) >> 3) % 40;
