import { exifOfTiff, isTooLong, resolveName, shownValue } from "./exif.ts";
import { isPointer, pointerTags, tiffNames } from "./exif-names.ts";
import type { BlockKind } from "./findings.ts";
import { iptcInPhotoshop } from "./photoshop.ts";
import { bytesAt, keepBlock, type Scan } from "./scan.ts";
import { openTiff, readDirectory, type TiffDirectory, type TiffLayout } from "./tiff-structure.ts";

const maxDirectories = 32;
const maxPhotoshop = 4_194_304;

/**
 * Reads the fields of a TIFF or BigTIFF (TIFF 6.0; XMP Part 3, 3.3.1): of the first directory also
 * its blocks and Exif, of further ones on the main chain the fields alone.
 */
export const scanTiff = async (scan: Scan): Promise<void> => {
  const layout = await openTiff({ at: (offset, length) => bytesAt(scan, offset, length) });
  const seen = new Set<number>();
  for (let at = layout.first; at !== 0; ) {
    if (seen.has(at) || seen.size >= maxDirectories) {
      scan.findings.problem(
        seen.has(at)
          ? "The TIFF directories form a loop."
          : `There are more than ${maxDirectories} directories; those after them are skipped.`,
      );
      return;
    }
    const directory = await readDirectory(layout, at);
    if (seen.size === 0) await takeBlocks(scan, layout, directory);
    await takeFields(scan, layout, { directory, number: seen.size });
    seen.add(at);
    at = directory.next;
  }
};

const takeBlocks = async (
  scan: Scan,
  layout: TiffLayout,
  directory: TiffDirectory,
): Promise<void> => {
  for (const { tag, at, bytes } of directory.fields) {
    const kind = blockKinds[tag];
    if (kind !== undefined && Number.isFinite(bytes))
      await keepBlock(scan, kind, { offset: at, length: bytes });
  }
  const photoshop = directory.fields.find(({ tag }) => tag === pointerTags.photoshop);
  if (photoshop && scan.findings.block("iptc") === undefined && photoshop.bytes <= maxPhotoshop) {
    const bytes = await bytesAt(scan, photoshop.at, photoshop.bytes);
    const iptc = bytes && iptcInPhotoshop(bytes, scan.findings);
    if (iptc) scan.findings.addBlock("iptc", iptc);
  }
  scan.findings.exif = await exifOfTiff(layout, directory, scan.findings);
};

const blockKinds: Readonly<Record<number, BlockKind | undefined>> = {
  [pointerTags.xmp]: "xmp",
  [pointerTags.iptc]: "iptc",
  [pointerTags.icc]: "icc",
};

/**
 * Long fields, such as tile positions, are reported by their number of values, which is no problem.
 */
const takeFields = async (
  { findings }: Scan,
  layout: TiffLayout,
  { directory, number }: { readonly directory: TiffDirectory; readonly number: number },
): Promise<void> => {
  for (const field of directory.fields) {
    if (isPointer(field.tag)) continue;
    const name = resolveName(tiffNames, field.tag);
    if (isTooLong(field) || isPlace(field.tag)) {
      findings.addField({ name, count: field.count, directory: number });
      continue;
    }
    const value = await shownValue(layout, field, name, findings);
    if (value !== undefined) findings.addField({ name, value, directory: number });
  }
};

/** Positions and lengths of pixels do not describe the image. */
const isPlace = (tag: number): boolean => places.has(tag);

const places: ReadonlySet<number> = new Set([273, 279, 324, 325]);
