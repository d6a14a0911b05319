import { setImmediate } from "node:timers/promises";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { rasterOf } from "../libvips/index.ts";
import { type Decoder, missingPage, reductionFor, reductionOf, takeRows } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import { type Colour, colourLookup, paletteOf, valuesOf, type XpmValues } from "./picture.ts";
import { linesOf, type XpmLines } from "./text.ts";
import { type ColourOfName, x11Colours } from "./x11-colours.ts";

interface OpenXpm {
  readonly lines: XpmLines;
  readonly values: XpmValues;
  readonly palette: ReadonlyMap<string, Colour>;
  /** 4 where some colour is `None`. */
  readonly channels: 3 | 4;
}

/** Maximum size of a file: the format is for icons. */
const largestFile = 16_777_216;

/** Pixels between two yields to the event loop: a few milliseconds. */
const pixelsPerIteration = 131_072;

/** Reads X pixmaps, versions 1 to 3, with a reader of our own. */
export const createXpmDecoder = (settings: () => Settings<typeof decodingKeys>): Decoder => {
  const colourOfName = x11Colours();
  return {
    async info(reader, signal) {
      const { values, channels } = await open(reader, colourOfName, signal);
      const { size } = values;
      const max = settings()["processor.max_decoded_bytes"];
      if (area(size) * channels > max)
        fail(
          "unreadable",
          `Expected an XPM of at most ${max} bytes once decoded; this one takes ${area(size) * channels}.`,
        );
      return {
        format: "xpm",
        pages: [
          {
            size,
            orientation: 1,
            levels: [{ size, tile: size }],
            colour: { bits: 8, model: "rgb", alpha: channels === 4, profile: "none" },
          },
        ],
      };
    },

    async read(reader, info, window, _plan, signal) {
      if (window.page > 0) missingPage(window.page, info.pages.length);
      const opened = await open(reader, colourOfName, signal);
      const { values, channels } = opened;
      const { size: whole } = info.pages[0];
      if (values.size.width !== whole.width || values.size.height !== whole.height)
        fail("unreadable", "The XPM was replaced while it was open.");
      const reduction = reductionOf(whole, window.region, reductionFor(window));
      const rows = takeRows(reduction, { channels, depth: 8 });
      const { region, size, covers } = reduction;
      const read = rowReader(opened, region);
      const perTurn = Math.max(1, Math.floor(pixelsPerIteration / region.width));
      for (let y = 0; y < region.height; y++) {
        if (y % perTurn === perTurn - 1) {
          await setImmediate();
          signal.throwIfAborted();
        }
        rows.put(y, read(y));
      }
      return {
        image: rasterOf(
          { values: rows.values, depth: 8, channels },
          { size, model: "rgb", profile: undefined, seconds: settings()["processor.timeout"] },
        ),
        size,
        covers,
      };
    },
  };
};

const open = async (
  reader: RangeReader,
  colourOfName: ColourOfName,
  signal: AbortSignal,
): Promise<OpenXpm> => {
  if (reader.size > largestFile)
    fail("unreadable", `Expected an XPM of at most ${largestFile} bytes; it has ${reader.size}.`);
  const bytes = await reader.read(0, reader.size, signal);
  const lines = linesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const values = valuesOf(lines);
  const palette = paletteOf(lines, values, colourOfName);
  const isClear = [...palette.values()].some(([, , , opacity]) => opacity === 0);
  return { lines, values, palette, channels: isClear ? 4 : 3 };
};

/** Reads rows of a region, counted from its top; each is overwritten by the next one. */
const rowReader = (
  { lines, values, palette, channels }: OpenXpm,
  region: { readonly x: number; readonly y: number; readonly width: number },
): ((y: number) => Uint8Array) => {
  const find = colourLookup(palette, values.characters);
  const first = 1 + values.colours * (values.apart ? 2 : 1);
  const row = new Uint8Array(region.width * channels);
  return (y) => {
    const text = lines.at(first + region.y + y);
    for (let x = 0, at = 0; x < region.width; x++) {
      const colour = find(text, region.x + x);
      for (let channel = 0; channel < channels; channel++) row[at++] = colour[channel] ?? 0;
    }
    return row;
  };
};
