import { fail } from "../core/errors.ts";
import type { Rect } from "../core/geometry.ts";
import type { PlainPixels } from "../formats/shared/index.ts";
import { fieldsOf, tags } from "./samples.ts";

/**
 * A part of an uncompressed TIFF in tiles that is in memory; undefined where its samples are not grey
 * or RGB of 8 bits. Throws `internal` where it is no such TIFF.
 */
export const partOfTiled = (file: Uint8Array, part: Rect): PlainPixels | undefined => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { value, count, bytes } = fieldsOf(view);
  const samples = value(tags.samplesPerPixel);
  if (value(tags.bitsPerSample) !== 8 || (samples !== 1 && samples !== 3)) return undefined;
  if (value(tags.compression) !== 1 || value(tags.planar) !== 1)
    return fail("internal", "Expected an uncompressed TIFF in tiles.");
  const [width, height] = [value(tags.tileWidth), value(tags.tileLength)];
  const across = Math.ceil(value(tags.width) / width);
  const pixels = new Uint8Array(part.width * part.height * samples);
  for (const down of stretchesOf(part.y, part.height, height))
    for (const along of stretchesOf(part.x, part.width, width)) {
      const tile = value(tags.tileOffsets, down.tile * across + along.tile);
      const length = along.length * samples;
      for (let row = 0; row < down.length; row++) {
        const from = tile + ((down.within + row) * width + along.within) * samples;
        const to = ((down.at + row) * part.width + along.at) * samples;
        pixels.set(file.subarray(from, from + length), to);
      }
    }
  const size = { width: part.width, height: part.height };
  const profile = count(tags.iccProfile) > 0 ? bytes(tags.iccProfile) : undefined;
  return { bytes: pixels, size, samples, profile };
};

/** A stretch of a part that is in one tile, along one axis, in pixels. */
interface Stretch {
  /** The tile's column or row. */
  readonly tile: number;
  /** Where the stretch begins in the tile, and in the part. */
  readonly within: number;
  readonly at: number;
  readonly length: number;
}

function* stretchesOf(start: number, length: number, side: number): Generator<Stretch> {
  for (let at = 0; at < length; ) {
    const within = (start + at) % side;
    const tile = (start + at - within) / side;
    const stretch = Math.min(length - at, side - within);
    yield { tile, within, at, length: stretch };
    at += stretch;
  }
}
