import type { FormatName } from "../core/formats.ts";
import { sameSize } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { LevelPart } from "./codec.ts";
import { bareJpeg, type Wanted } from "./jpeg-file.ts";
import { barePng } from "./png-file.ts";
import { simpleWebp } from "./webp-chunks.ts";

/** Larger files are drawn: their bytes would be held for as long as the client takes to fetch them. */
const largestFile = 16_777_216;

/**
 * The file itself where all of its only page is wanted in its own format, without what answers
 * never carry: Exif and its place names, XMP, comments, thumbnails. Undefined of any other.
 */
export const storedFile = async (
  reader: RangeReader,
  { format: stored, pages }: ImageInfo,
  { page, region, profiled }: LevelPart,
  format: FormatName,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  const bare = bareFiles[format];
  const size = pages[page]?.size;
  if (bare === undefined || format !== stored || pages.length > 1 || size === undefined)
    return undefined;
  if (!sameSize(region, size) || reader.size > largestFile) return undefined;
  return bare(await reader.read(0, reader.size, signal), { size, profiled });
};

const bareFiles: Readonly<
  Partial<Record<FormatName, (bytes: Uint8Array, wanted: Wanted) => Uint8Array | undefined>>
> = {
  jpg: bareJpeg,
  png: barePng,
  webp: (bytes, { size }) => {
    // The simple form has room for nothing but the picture; a profile needs the other one.
    const simple = simpleWebp(bytes);
    return simple && !simple.alpha && sameSize(simple.size, size) ? simple.bytes : undefined;
  },
};
