import { fail } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import type { Description } from "./description.ts";
import { type StoredPart, storedValues, takeSamples } from "./stored.ts";

/** Uncompressed pixels, frame after frame (PS3.5, 8.1.1). */
export interface NativePixels {
  readonly description: Description;
  /** Offset of the first frame in the file. */
  readonly offset: number;
  readonly littleEndian: boolean;
}

/** Total bytes of all frames; throws `unreadable` for unsupported layouts. */
export const nativeBytes = ({
  size,
  frames,
  samples,
  allocated,
  photometric,
}: Description): number => {
  if (photometric === "YBR_FULL_422" || photometric === "YBR_PARTIAL_422") {
    if (allocated !== 8 || size.width % 2 !== 0)
      fail("unreadable", "Expected subsampled DICOM colours with 8 bits and an even width.");
    return area(size) * 2 * frames;
  }
  if (photometric === "YBR_PARTIAL_420" || photometric === "YBR_ICT" || photometric === "YBR_RCT")
    fail("unreadable", `Uncompressed DICOM pixels cannot be ${photometric}.`);
  return Math.ceil((area(size) * samples * allocated * frames) / 8);
};

interface PartWanted {
  /** Counted from 0. */
  readonly frame: number;
  /** In pixels of the frame, inside it. */
  readonly region: Rect;
  readonly signal: AbortSignal;
}

/** Reads a region of a frame, and of the file only the rows it is in. */
export const readNative = async (
  reader: RangeReader,
  pixels: NativePixels,
  wanted: PartWanted,
): Promise<StoredPart> => {
  const { description } = pixels;
  const { samples, photometric, allocated } = description;
  const { width, height } = wanted.region;
  const values = storedValues(description, width * height * samples);
  const part: StoredPart = { width, height, channels: samples, values, photometric };
  if (allocated === 1) await readBits(reader, pixels, wanted, part);
  else if (photometric.endsWith("_422")) await readPairs(reader, pixels, wanted, part);
  else await readSamples(reader, pixels, wanted, part);
  return part;
};

/** Bytes that are read at a time. */
const bytesPerRead = 4_194_304;

/** Reads rows that are `stride` bytes apart, each `length` bytes long, beginning at `first`. */
const eachRow = async (
  reader: RangeReader,
  rows: {
    readonly first: number;
    readonly stride: number;
    readonly length: number;
    readonly count: number;
    readonly signal: AbortSignal;
  },
  take: (row: Uint8Array, y: number) => void,
): Promise<void> => {
  const { first, stride, length, count, signal } = rows;
  const perReading = Math.max(1, Math.floor(bytesPerRead / stride));
  for (let y = 0; y < count; y += perReading) {
    signal.throwIfAborted();
    const together = Math.min(perReading, count - y);
    const needed = (together - 1) * stride + length;
    const bytes = await reader.read(first + y * stride, needed, signal);
    if (bytes.length < needed)
      fail("unreadable", "Truncated DICOM file: the pixels of a frame are missing.");
    for (let index = 0; index < together; index++)
      take(bytes.subarray(index * stride, index * stride + length), y + index);
  }
};

const readSamples = async (
  reader: RangeReader,
  { description, offset, littleEndian }: NativePixels,
  { frame, region, signal }: PartWanted,
  { values }: StoredPart,
): Promise<void> => {
  const { size, samples, allocated, planar } = description;
  const step = allocated / 8;
  const planes = planar ? samples : 1;
  const perPixel = samples / planes;
  const stride = size.width * perPixel * step;
  const plane = stride * size.height;
  const count = region.width * perPixel;
  for (let index = 0; index < planes; index++)
    await eachRow(
      reader,
      {
        first:
          offset +
          (frame * planes + index) * plane +
          region.y * stride +
          region.x * perPixel * step,
        stride,
        length: count * step,
        count: region.height,
        signal,
      },
      (bytes, y) =>
        takeSamples({ bytes, littleEndian, step }, description, {
          into: values,
          at: y * region.width * samples + index,
          stride: planes,
          count,
        }),
    );
};

/** Single bits, least significant first; frames follow each other without a gap. */
const readBits = async (
  reader: RangeReader,
  { description: { size }, offset }: NativePixels,
  { frame, region, signal }: PartWanted,
  { values }: StoredPart,
): Promise<void> => {
  const start = (frame * size.height + region.y) * size.width;
  const end = start + region.height * size.width;
  const first = Math.floor(start / 8);
  const bytes = await reader.read(offset + first, Math.ceil(end / 8) - first, signal);
  for (let y = 0, at = 0; y < region.height; y++)
    for (let x = 0; x < region.width; x++) {
      const bit = start - first * 8 + y * size.width + region.x + x;
      values[at++] = ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1;
    }
};

/** Two pixels at a time that share their chroma: Y, Y, Cb, Cr. */
const readPairs = async (
  reader: RangeReader,
  { description: { size }, offset }: NativePixels,
  { frame, region, signal }: PartWanted,
  { values }: StoredPart,
): Promise<void> => {
  const stride = size.width * 2;
  const left = region.x - (region.x % 2);
  const right = region.x + region.width;
  await eachRow(
    reader,
    {
      first: offset + (frame * size.height + region.y) * stride + left * 2,
      stride,
      length: (right + (right % 2) - left) * 2,
      count: region.height,
      signal,
    },
    (row, y) => {
      for (let x = 0; x < region.width; x++) {
        const column = region.x + x - left;
        const pair = (column >> 1) * 4;
        const at = (y * region.width + x) * 3;
        values[at] = row[pair + (column & 1)] ?? 0;
        values[at + 1] = row[pair + 2] ?? 0;
        values[at + 2] = row[pair + 3] ?? 0;
      }
    },
  );
};
