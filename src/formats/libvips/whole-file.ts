import type { FormatName } from "../../core/formats.ts";
import { sameSize } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import { readOne, type Steps } from "../../core/steps.ts";
import { bareJpeg, barePng, type StandaloneJpeg, simpleWebp } from "../containers/index.ts";
import type { FileSize, LevelPart } from "../shared/index.ts";

/**
 * Larger files are rendered: their bytes would be held for as long as the client takes to fetch
 * them.
 */
const largestFile = 16_777_216;

/**
 * The file itself where all of its only page is requested in its own format, without what responses
 * never contain: Exif and its locations, XMP, comments, thumbnails. Undefined for any other plan.
 */
export function* storedFile(
  { size: length }: FileSize,
  { format: stored, pages }: ImageInfo,
  { page, region, profiled }: LevelPart,
  format: FormatName,
): Steps<Uint8Array | undefined> {
  const bare = bareFiles[format];
  const size = pages[page]?.size;
  if (bare === undefined || format !== stored || pages.length > 1 || size === undefined)
    return undefined;
  if (!sameSize(region, size) || length > largestFile) return undefined;
  return bare(yield* readOne({ offset: 0, length }), { size, profiled });
}

const bareFiles: Readonly<
  Partial<Record<FormatName, (bytes: Uint8Array, wanted: StandaloneJpeg) => Uint8Array | undefined>>
> = {
  jpg: bareJpeg,
  png: barePng,
  webp: (bytes, { size }) => {
    // The simple form contains only the image; a profile needs the extended form.
    const simple = simpleWebp(bytes);
    return simple && !simple.alpha && sameSize(simple.size, size) ? simple.bytes : undefined;
  },
};
