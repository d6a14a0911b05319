import { area, type Size } from "../../core/geometry.ts";
import type { HeifJxlLimits, HeifJxlPage, Tile } from "./contract.ts";
import { checkCost, type Engine, unreadable } from "./heif-engine.ts";
import type { HeifItem } from "./heif-item.ts";

/** Numbers of enum heif_colorspace, heif_chroma and heif_channel. */
const colours = 1;
const chromas = { rgb: 10, rgba: 11, rgbDeep: 14, rgbaDeep: 15 } as const;
const interleaved = 10;

/** Decodes a tile of an item, or all of it; throws `unreadable` where it is corrupt. */
export const decodeTile = (
  engine: Engine,
  item: HeifItem,
  {
    column,
    row,
    limits,
  }: { readonly column: number; readonly row: number; readonly limits: HeifJxlLimits },
): Tile => {
  const { heif, memory, options } = engine;
  const { handle, grid, page } = item;
  const chroma = chromaOf(page);
  const image =
    memory.ask((error, out) =>
      grid === undefined
        ? heif._heif_decode_image(error, handle, out, colours, chroma, options)
        : heif._heif_image_handle_decode_image_tile(
            error,
            handle,
            out,
            colours,
            chroma,
            options,
            column,
            row,
          ),
    ) ?? unreadable();
  try {
    const size = {
      width: heif._heif_image_get_width(image, interleaved),
      height: heif._heif_image_get_height(image, interleaved),
    };
    checkCost(size, size, { bits: page.bits, limits });
    return pixelsOf(engine, item, { image, size });
  } finally {
    heif._heif_image_release(image);
  }
};

const chromaOf = ({ alpha, bits }: HeifJxlPage): number => {
  if (bits > 8) return alpha ? chromas.rgbaDeep : chromas.rgbDeep;
  return alpha ? chromas.rgba : chromas.rgb;
};

/** Interleaved pixels without gaps; of grey ones without empty chroma. */
const pixelsOf = (
  { heif, memory }: Engine,
  { page, premultiplied }: HeifItem,
  { image, size }: { readonly image: number; readonly size: Size },
): Tile => {
  const bits = heif._heif_image_get_bits_per_pixel_range(image, interleaved);
  const isDeep = page.bits > 8;
  const stored = page.alpha ? 4 : 3;
  const kind = isDeep ? Uint16Array : Uint8Array;
  const { address, stride } = planeOf({ heif, memory }, image);
  if (address === 0 || stride < size.width * stored * kind.BYTES_PER_ELEMENT) unreadable();
  const kept = page.model === "grey" ? [0, 3].slice(0, stored - 2) : [0, 1, 2, 3].slice(0, stored);
  const channels = kept.length;
  const values = new kind(area(size) * channels);
  const top = isDeep ? 65_535 : 255;
  const scale = isDeep ? top / (2 ** bits - 1) : 1;
  // Its memory is not shared with other threads.
  const buffer = heif.HEAPU8.buffer as ArrayBuffer;
  const row = size.width * channels;
  for (let y = 0; y < size.height; y++) {
    const line = new kind(buffer, address + y * stride, size.width * stored);
    takeRow(values.subarray(y * row, (y + 1) * row), { line, stored, kept, scale, top });
  }
  if (premultiplied) unmultiply(values, channels, top);
  return { values, depth: isDeep ? 16 : 8, channels, size };
};

/** Copies the kept channels of a row, scaled up to `top`. */
const takeRow = (
  into: Tile["values"],
  {
    line,
    stored,
    kept,
    scale,
    top,
  }: {
    readonly line: Tile["values"];
    readonly stored: number;
    readonly kept: readonly number[];
    readonly scale: number;
    readonly top: number;
  },
): void => {
  for (let x = 0, to = 0; x < line.length; x += stored)
    for (const channel of kept) into[to++] = Math.min(top, (line[x + channel] ?? 0) * scale);
};

/** The address of the pixels, and the bytes from one row to the next. */
const planeOf = (
  { heif, memory }: Pick<Engine, "heif" | "memory">,
  image: number,
): { readonly address: number; readonly stride: number } =>
  memory.borrow(4, (at) => {
    const plane = heif._heif_image_get_plane_readonly2(image, interleaved, at);
    return { address: plane >>> 0, stride: memory.view(at, 4).getUint32(0, true) };
  });

const unmultiply = (values: Tile["values"], channels: number, top: number): void => {
  for (let at = 0; at < values.length; at += channels) {
    const alpha = values[at + channels - 1] ?? 0;
    if (alpha === 0 || alpha === top) continue;
    for (let colour = 0; colour < channels - 1; colour++)
      values[at + colour] = Math.min(top, ((values[at + colour] ?? 0) * top) / alpha);
  }
};
