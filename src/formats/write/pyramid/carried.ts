import { ServerError } from "../../../core/errors.ts";
import type { ImageInfo } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { readBlocks } from "../../embedded-metadata.ts";
import {
  fieldBytes,
  imageNames,
  openExif,
  openTiff,
  pointerOf,
  pointerTags,
  readDirectory,
  type TiffDirectory,
  type TiffField,
  type TiffLayout,
  valueSizes,
} from "../../metadata/index.ts";
import { uprightXmp } from "../../shared/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";

/** A file's metadata as little-endian TIFF fields. */
export interface CarriedMetadata {
  /** For the first directory: description, creators and rights, XMP, IPTC. */
  readonly image: readonly AssembledField[];
  /** For the Exif directory; may be empty. */
  readonly exif: readonly AssembledField[];
  readonly gps: readonly AssembledField[];
}

/** Maximum bytes of a copied field. */
const longest = 4_194_304;

/**
 * A file's metadata that is copied to another: descriptions, Exif without maker notes, locations,
 * XMP and IPTC, as far as intact. The orientation is omitted, and set to 1 in XMP: the pixels are
 * upright.
 */
export const carriedMetadata = async (
  reader: RangeReader,
  info: Pick<ImageInfo, "format">,
  signal: AbortSignal,
): Promise<CarriedMetadata> => {
  const { exif: block, iptc, xmp } = await readBlocks(reader, info, signal);
  const read =
    info.format === "tif"
      ? await fieldsIn(() => openTiff(fileSource(reader, signal)))
      : block
        ? await fieldsIn(() => openExif(Buffer.from(block)))
        : none;
  return {
    ...read,
    image: [
      ...read.image,
      ...(xmp ? [blockField(pointerTags.xmp, uprightXmp(xmp))] : []),
      ...(iptc ? [blockField(pointerTags.iptc, iptc)] : []),
    ],
  };
};

const fileSource = (reader: RangeReader, signal: AbortSignal) => ({
  async at(offset: number, length: number): Promise<Buffer | undefined> {
    if (length > longest || offset + length > reader.size) return undefined;
    return Buffer.from(await reader.read(offset, length, signal));
  },
});

const none: CarriedMetadata = { image: [], exif: [], gps: [] };

/** Bytes of no meaning to a TIFF. */
const blockField = (tag: number, bytes: Uint8Array): AssembledField => ({
  tag,
  type: 1,
  count: bytes.length,
  bytes,
});

const fieldsIn = async (open: () => Promise<TiffLayout>): Promise<CarriedMetadata> => {
  try {
    const layout = await open();
    const first = await readDirectory(layout, layout.first);
    const behind = async (tag: number): Promise<readonly AssembledField[]> => {
      const at = await pointerOf(layout, first, tag);
      return at === 0 ? [] : fieldsOf(layout, await readDirectory(layout, at), isPlain);
    };
    return {
      image: await fieldsOf(layout, first, isDescription),
      exif: await behind(pointerTags.exif),
      gps: await behind(pointerTags.gps),
    };
  } catch (error) {
    if (!(error instanceof ServerError) || error.failure !== "unreadable") throw error;
    // Corrupt metadata does not keep an image from being converted; `vitrine inspect` reports what
    // is wrong with it.
    return none;
  }
};

const orientationTag = 274;

const isDescription = (tag: number): boolean =>
  imageNames[tag] !== undefined && tag !== orientationTag;

/**
 * Maker notes contain offsets in the file they were written for; nested directories are omitted,
 * too.
 */
const isPlain = (tag: number): boolean =>
  tag !== pointerTags.makerNote && tag !== pointerTags.interoperability;

const fieldsOf = async (
  layout: TiffLayout,
  { fields }: TiffDirectory,
  isWanted: (tag: number) => boolean,
): Promise<readonly AssembledField[]> => {
  const found: AssembledField[] = [];
  for (const field of fields) {
    if (!isWanted(field.tag) || !isClassic(field) || field.bytes > longest) continue;
    const bytes = await fieldBytes(layout, field);
    if (bytes === undefined || found.some(({ tag }) => tag === field.tag)) continue;
    const { tag, type, count } = field;
    found.push({ tag, type, count, bytes: layout.littleEndian ? bytes : swapped(field, bytes) });
  }
  return found;
};

/** Of a type that every TIFF has (TIFF 6.0, section 2). */
const isClassic = ({ type, bytes }: TiffField): boolean =>
  type >= 1 && type <= 12 && Number.isFinite(bytes) && bytes > 0;

/** Swapped numbers; rationals are two each. */
const swapped = ({ type }: TiffField, bytes: Buffer): Buffer => {
  const size = type === 5 || type === 10 ? 4 : (valueSizes[type] ?? 1);
  const copy = Buffer.from(bytes);
  if (size === 2) return copy.swap16();
  if (size === 4) return copy.swap32();
  return size === 8 ? copy.swap64() : copy;
};
