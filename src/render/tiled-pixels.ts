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
  const right = part.x + part.width;
  for (let y = part.y; y < part.y + part.height; y++) {
    const first = Math.floor(y / height) * across;
    for (let x = part.x; x < right; ) {
      const column = Math.floor(x / width);
      const end = Math.min(right, (column + 1) * width);
      const at = value(tags.tileOffsets, first + column);
      const from = at + ((y % height) * width + (x % width)) * samples;
      const line = file.subarray(from, from + (end - x) * samples);
      pixels.set(line, ((y - part.y) * part.width + x - part.x) * samples);
      x = end;
    }
  }
  const size = { width: part.width, height: part.height };
  const profile = count(tags.iccProfile) > 0 ? bytes(tags.iccProfile) : undefined;
  return { bytes: pixels, size, samples, profile };
};
