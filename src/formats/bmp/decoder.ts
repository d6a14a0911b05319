import { setImmediate } from "node:timers/promises";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { profileOf } from "../containers/index.ts";
import { rasterOf } from "../libvips/index.ts";
import {
  type Decoder,
  missingPage,
  type Reduction,
  type RowTaker,
  reductionFor,
  reductionOf,
  takeRows,
} from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import { type BmpHeader, headerBytes, readHeader } from "./header.ts";
import { type BmpPixels, byteOf, pixelsOf } from "./pixels.ts";
import { runLengthRows } from "./run-lengths.ts";

type ReadingSettings = () => Settings<typeof decodingKeys>;

/** The parsed structure of a file. */
interface OpenBmp {
  readonly header: BmpHeader;
  readonly pixels: BmpPixels;
  readonly profile: Uint8Array | undefined;
}

/**
 * Reads BMP with a reader of our own: of uncompressed pixels only the requested rows, by ranges.
 */
export const createBmpDecoder = (settings: ReadingSettings): Decoder => ({
  async info(reader, signal) {
    const { header, pixels, profile } = await open(reader, signal);
    const { size } = header;
    checkScan(header, settings());
    const model = pixels.channels === 1 ? "grey" : "rgb";
    return {
      format: "bmp",
      pages: [
        {
          size,
          orientation: 1,
          levels: [{ size, tile: size }],
          colour: {
            bits: Math.min(8, header.bits),
            model,
            alpha: pixels.channels === 4,
            profile: profileOf(profile, model),
          },
        },
      ],
    };
  },

  async read(reader, info, window, _plan, signal) {
    if (window.page > 0) missingPage(window.page, info.pages.length);
    const opened = await open(reader, signal);
    const { header, pixels } = opened;
    checkSame(header, info);
    const now = settings();
    const reduction = reductionOf(header.size, window.region, reductionFor(window));
    const { size, covers } = reduction;
    const { channels } = pixels;
    const maxPixels = now["processor.max_scanned_pixels"];
    if (area(reduction.region) > maxPixels)
      fail(
        "unreadable",
        `Expected a region of a BMP of at most ${maxPixels} pixels; this one has ${area(reduction.region)}.`,
      );
    const max = now["processor.max_decoded_bytes"];
    if (area(size) * channels > max)
      fail(
        "unreadable",
        `Expected a region of a BMP of at most ${max} bytes; this one takes ${area(size) * channels}.`,
      );
    const rows = takeRows(reduction, { channels, depth: 8 });
    await (header.coding === "plain" ? readPlain : readRuns)(reader, opened, {
      reduction,
      rows,
      signal,
    });
    const model = channels === 1 ? "grey" : "rgb";
    const isNeeded = profileOf(opened.profile, model) === "kept";
    return {
      image: rasterOf(
        { values: rows.values, depth: 8, channels },
        {
          size,
          model,
          profile: isNeeded ? opened.profile : undefined,
          seconds: now["processor.timeout"],
        },
      ),
      size,
      covers,
    };
  },
});

const open = async (reader: RangeReader, signal: AbortSignal): Promise<OpenBmp> => {
  const bytesAt = async (offset: number, length: number): Promise<Buffer> => {
    const from = Math.min(offset, reader.size);
    const bytes = await reader.read(from, Math.min(length, reader.size - from), signal);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const header = readHeader(await bytesAt(0, headerBytes));
  const { palette, profile: place } = header;
  const stored = await bytesAt(palette.offset, palette.count * palette.entry);
  const profile = place && (await bytesAt(place.offset, place.length));
  checkLength(header, reader.size);
  return {
    header,
    pixels: pixelsOf(header, stored),
    profile: profile?.length === place?.length ? profile : undefined,
  };
};

/** Bytes from one stored row to the next: rows are padded to multiples of four. */
const strideOf = ({ size, bits }: BmpHeader): number => Math.ceil((size.width * bits) / 32) * 4;

/** Half an image is invalid. The padding of the last row may be missing. */
const checkLength = (header: BmpHeader, length: number): void => {
  const { size, bits, offset, coding } = header;
  const needed =
    coding === "plain"
      ? strideOf(header) * (size.height - 1) + Math.ceil((size.width * bits) / 8)
      : 2;
  if (offset + needed > length)
    fail(
      "unreadable",
      `Expected ${needed} bytes of pixels in the BMP, found ${Math.max(0, length - offset)}.`,
    );
};

const checkScan = (header: BmpHeader, settings: Settings<typeof decodingKeys>): void => {
  if (header.coding === "plain") return;
  const max = settings["processor.max_decoded_bytes"];
  const bytes = area(header.size) * 3;
  if (bytes > max)
    fail(
      "unreadable",
      `Expected a run-length coded BMP of at most ${max} bytes once decoded; this one takes ${bytes}.`,
    );
};

const checkSame = ({ size }: BmpHeader, { pages: [page] }: ImageInfo): void => {
  if (size.width !== page.size.width || size.height !== page.size.height)
    fail("unreadable", "The BMP was replaced while it was open.");
};

interface BmpReading {
  readonly reduction: Reduction;
  readonly rows: RowTaker;
  readonly signal: AbortSignal;
}

/** Bytes that are read at a time. */
const bytesPerRead = 1_048_576;

const readPlain = async (
  reader: RangeReader,
  { header, pixels }: OpenBmp,
  { reduction, rows, signal }: BmpReading,
): Promise<void> => {
  const { region } = reduction;
  const { size, topDown, bits, offset } = header;
  const stride = strideOf(header);
  const first = byteOf(bits, region.x);
  const length = Math.ceil(((region.x + region.width) * bits) / 8) - first;
  const into = new Uint8Array(region.width * pixels.channels);
  const top = topDown ? region.y : size.height - region.y - region.height;
  const perReading = Math.max(1, Math.floor(bytesPerRead / stride));
  for (let row = 0; row < region.height; row += perReading) {
    signal.throwIfAborted();
    const count = Math.min(perReading, region.height - row);
    const bytes = await reader.read(
      offset + (top + row) * stride + first,
      (count - 1) * stride + length,
      signal,
    );
    for (let index = 0; index < count; index++) {
      pixels.unpack(bytes.subarray(index * stride), region.x, into);
      const stored = row + index;
      rows.put(topDown ? stored : region.height - 1 - stored, into);
    }
  }
};

/** Pixels between two yields to the event loop: a few milliseconds. */
const pixelsPerIteration = 262_144;

const readRuns = async (
  reader: RangeReader,
  { header, pixels }: OpenBmp,
  { reduction, rows, signal }: BmpReading,
): Promise<void> => {
  const { coding, size, offset } = header;
  if (coding === "plain") return;
  const { region } = reduction;
  const max = area(size) * 4 + size.height * 2 + 2;
  const bytes = await reader.read(offset, Math.min(reader.size - offset, max), signal);
  const wide = pixelsOfRuns(header, pixels);
  const into = new Uint8Array(region.width * pixels.channels);
  const perTurn = Math.max(1, Math.floor(pixelsPerIteration / size.width));
  let y = size.height;
  for (const row of runLengthRows(coding, bytes, size)) {
    y--;
    if (y >= region.y && y < region.y + region.height) {
      wide(row, region.x, into);
      rows.put(y - region.y, into);
    }
    if (y === region.y) return;
    if (y % perTurn === 0) {
      await setImmediate();
      signal.throwIfAborted();
    }
  }
  wide(new Uint8Array(size.width * (header.bits === 24 ? 3 : 1)), region.x, into);
  for (y = Math.min(y, region.y + region.height) - 1; y >= region.y; y--)
    rows.put(y - region.y, into);
};

/** Bytes per pixel of run-length coded rows. */
const pixelsOfRuns =
  ({ bits }: BmpHeader, pixels: BmpPixels): BmpPixels["unpack"] =>
  (row, first, into) => {
    if (bits !== 4) return pixels.unpack(row.subarray(byteOf(bits, first)), first, into);
    const packed = new Uint8Array(Math.ceil(row.length / 2));
    for (const [x, index] of row.entries())
      packed[x >> 1] = (packed[x >> 1] ?? 0) | (x & 1 ? index : index << 4);
    return pixels.unpack(packed.subarray(byteOf(bits, first)), first, into);
  };
