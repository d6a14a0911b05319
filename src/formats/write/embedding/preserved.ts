import { ServerError } from "../../../core/errors.ts";
import type { ImageInfo } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import {
  gpsNames,
  imageNames,
  photoNames,
  pointerTags,
  type TagNames,
} from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import { carriedMetadata } from "../pyramid/index.ts";
import type { EmbeddedBlocks } from "./blocks.ts";
import { keptIptc } from "./kept-iptc.ts";
import { keptXmp } from "./kept-xmp.ts";

/**
 * A file's metadata that is copied to derivatives: Exif, IPTC and XMP by known names, as far as
 * intact, of each at most 65,000 bytes. Without previews, maker notes, orientation, resolution and
 * anything else that describes the file's own pixels. Throws only what the reader throws, or the
 * signal.
 */
export const preservedBlocks = async (
  reader: RangeReader,
  info: Pick<ImageInfo, "format">,
  signal: AbortSignal,
): Promise<EmbeddedBlocks> => {
  const { image, exif, gps } = await carriedMetadata(reader, info, signal);
  const allowance = { left: maxExif };
  const fields = {
    image: wanted(image, imageNames, allowance),
    exif: wanted(exif, photoNames, allowance),
    gps: wanted(gps, gpsNames, allowance),
  };
  const hasExif = Object.values(fields).some(({ length }) => length > 0);
  const iptc = understood(blockOf(image, pointerTags.iptc), keptIptc);
  const xmp = understood(blockOf(image, pointerTags.xmp), keptXmp);
  return {
    ...(hasExif && { exif: fields }),
    ...(iptc && { iptc }),
    ...(xmp !== undefined && { xmp }),
  };
};

/** Maximum bytes of all Exif fields together, so that the block fits into a segment of a JPEG. */
const maxExif = 60_000;
const entryBytes = 13;

/**
 * Fields of the file's own pixels: orientation, resolution, colour space, gamma, and dimensions.
 */
const ofPixels: ReadonlySet<number> = new Set([
  ...[274, 282, 283, 296, 40_961, 40_962, 40_963, 42_240],
]);

const wanted = (
  fields: readonly AssembledField[],
  names: TagNames,
  allowance: { left: number },
): readonly AssembledField[] =>
  fields.filter(({ tag, bytes }) => {
    const size = bytes.length + entryBytes;
    if (names[tag] === undefined || ofPixels.has(tag) || tag === pointerTags.makerNote)
      return false;
    if (size > allowance.left) return false;
    allowance.left -= size;
    return true;
  });

const blockOf = (fields: readonly AssembledField[], tag: number): Buffer | undefined => {
  const bytes = fields.find((field) => field.tag === tag)?.bytes;
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

/**
 * A parsed block; undefined where it is missing or corrupt: `vitrine inspect` reports what is wrong
 * with it.
 */
const understood = <T>(
  block: Buffer | undefined,
  read: (block: Buffer) => T | undefined,
): T | undefined => {
  try {
    return block && read(block);
  } catch (error) {
    if (!(error instanceof ServerError) || error.failure !== "unreadable") throw error;
    return undefined;
  }
};
