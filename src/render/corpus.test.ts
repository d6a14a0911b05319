import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Drawable, drawn } from "../../test/drawing.ts";
import { assemble, difference, lineExcess, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { Config } from "../config/store.ts";
import type { FormatName } from "../core/formats.ts";
import { type Rect, type Size, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";
import type { Decoder } from "../formats/shared/codec.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const isThere = existsSync(corpus);
if (!isThere) console.warn("The corpus is not beside the checkout: drawing from it is not tested.");

const codecs = createCodecs(new Resources(new Config()));
const signal = new AbortController().signal;

/**
 * Format, file, factors; whole files, pyramids with sides rounded down, rotated pages, one level of
 * tiles.
 */
const files: readonly (readonly [FormatName, string, readonly number[]])[] = [
  ["jpg", "photos/Kodak_PIXPRO_FZ201.jpg", [4, 8]],
  ["jpg", "photos/photo-5760x3840-srgb.jpg", [16]],
  ["tif", "tiff/pyramid/caillebotte.tif", [4, 8, 16]],
  ["tif", "tiff/pyramid/samvera_128.tif", [1, 2, 4, 8, 16]],
  ["tif", "tiff/pyramid/derived-webp-t256-subifd.tif", [1, 2, 4, 16]],
  ["tif", "tiff/orientation/test_orient5.tif", [1, 2, 4, 8]],
  ["tif", "tiff/orientation/test_orient7.tif", [1, 2, 4, 8]],
  ["tif", "tiff/quad-tile.tif", [1, 2, 4]],
];

const opened = async (path: string): Promise<RangeReader> => {
  const { size } = await stat(path);
  return {
    size,
    path,
    async read(offset, length) {
      const file = await open(path);
      try {
        const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
        await file.read(bytes, 0, bytes.length, offset);
        return bytes;
      } finally {
        await file.close();
      }
    },
    stream: () => {
      throw new Error("Nothing here reads streams");
    },
    close: async () => {},
  };
};

/** The image through its real decoder with the open file. */
const real = async (format: FormatName, path: string): Promise<Drawable> => {
  const reader = await opened(path);
  const { decoder } = await codecs(format);
  if (!decoder) throw new Error(`Expected a decoder for ${format}`);
  const given: Decoder = {
    info: (_, stop) => decoder.info(reader, stop),
    read: (_, info, window, plan, stop) => decoder.read(reader, info, window, plan, stop),
  };
  return { info: await decoder.info(reader, signal), decoder: given };
};

const shownSize = ({ size, orientation }: Page): Size => upright(size, orientation);

describe.runIf(isThere)("a real image", () => {
  it.each(files)(
    "%s %s assembled from tiles equals the whole",
    async (...[format, name, factors]) => {
      const drawable = await real(format, corpus + name);
      for (const factor of factors) {
        const tile = 128;
        const page = shownSize(drawable.info.pages[0]);
        const whole = reduced(page, factor);
        const tiles: { readonly x: number; readonly y: number; readonly pixels: Pixels }[] = [];
        for (let y = 0; y < whole.height; y += tile)
          for (let x = 0; x < whole.width; x += tile) {
            const crop: Rect = {
              x: x * factor,
              y: y * factor,
              width: Math.min(tile * factor, page.width - x * factor),
              height: Math.min(tile * factor, page.height - y * factor),
            };
            const encoded = await drawn(drawable, { crop, size: reduced(crop, factor) });
            tiles.push({ x, y, pixels: await pixelsOf(encoded) });
          }
        const together = assemble(whole, tiles);
        const once = await pixelsOf(await drawn(drawable, { size: whole }));
        expect(difference(together, once).mean).toBeLessThan(0.1);
        expect(lineExcess(together, once, tile)).toBeLessThan(0.1);
      }
    },
    60_000,
  );
});

const reduced = ({ width, height }: Size, factor: number): Size => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});
