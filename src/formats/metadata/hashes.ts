import type { FormatName } from "../../core/formats.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import type { Findings } from "./findings.ts";
import { type ExifHash, exifHash } from "./hash-exif.ts";
import { type IptcHash, iptcHashes } from "./hash-iptc.ts";
import { type XmpHash, xmpHash } from "./hash-xmp.ts";
import { findIn } from "./read.ts";
import type { MetadataReaders } from "./readers.ts";
import { bytesAt, type MetadataScan, type Scan } from "./scan.ts";
import { openExif, openTiff, readDirectory } from "./tiff-structure.ts";

/** Embedded metadata in the shape that Cantaloupe gives its delegates. Missing kinds are absent. */
export type MetadataHash = XmpHash & {
  readonly exif?: ExifHash;
  readonly iptc?: readonly IptcHash[];
  /**
   * Texts of a PNG by keyword, `delayTime` (hundredths of a second) and `loopCount` of a GIF, the
   * information of a PDF.
   */
  readonly native?: Readonly<Record<string, unknown>>;
};

/** As `readMetadata`, in the shape of `MetadataHash`; damaged parts are skipped. */
export const readMetadataHash = async (
  reader: RangeReader,
  { format, find }: { readonly format: FormatName; readonly find: MetadataScan | undefined },
  signal: AbortSignal,
  readers: MetadataReaders = {},
): Promise<MetadataHash> => {
  const scan = await findIn(reader, find, signal, readers);
  const { findings } = scan;
  const exif = await findings.attempt(() => exifIn(scan, format));
  const iptcBlock = findings.block("iptc");
  const iptc = iptcBlock ? iptcHashes(iptcBlock, findings) : [];
  const native = nativeOf(format, findings);
  return {
    ...(exif ? { exif } : {}),
    ...(iptc.length > 0 ? { iptc } : {}),
    ...(await xmpHash(findings.block("xmp"), findings.block("extended XMP"), findings)),
    ...(Object.keys(native).length > 0 ? { native } : {}),
  };
};

const exifIn = async (scan: Scan, format: FormatName): Promise<ExifHash | undefined> => {
  const { findings } = scan;
  const block = findings.block("exif");
  if (block === undefined && format !== "tif") return undefined;
  const layout = await (block
    ? openExif(block)
    : openTiff({ at: (offset, length) => bytesAt(scan, offset, length) }));
  return exifHash(layout, await readDirectory(layout, layout.first), findings);
};

const nativeOf = (
  format: FormatName,
  { native, animation }: Findings,
): Readonly<Record<string, unknown>> => {
  if (format === "gif") return animation;
  if (format !== "png" && format !== "pdf") return {};
  const texts = native.filter(({ name, value }) => typeof value === "string" && name !== "tIME");
  return Object.fromEntries(texts.map(({ name, value }) => [name, value]));
};
