import type { RangeReader } from "../../core/range-reader.ts";
import { readExif } from "./exif.ts";
import { Findings } from "./findings.ts";
import { readIcc } from "./icc-profile.ts";
import { readIptc } from "./iptc.ts";
import type { MetadataReaders } from "./readers.ts";
import { type MetadataScan, type Scan, scanOf } from "./scan.ts";
import type { Metadata } from "./values.ts";
import { readXmp } from "./xmp.ts";

/**
 * Reads a file's embedded metadata by ranges and without decoding pixels. Damaged parts, and those
 * beyond the limits (2,048 reads, 64 MB, 4 MB per block, 16 MB per profile), are skipped and listed
 * in `problems`. The profile within a JPEG XL, and all of a PDF, needs a reader of its own. Throws
 * only what the reader throws, or the signal.
 */
export const readMetadata = async (
  reader: RangeReader,
  scan: MetadataScan | undefined,
  signal: AbortSignal,
  readers: MetadataReaders = {},
): Promise<Metadata> => {
  const { findings } = await findIn(reader, scan, signal, readers);
  const { exif, iptc, xmp, icc } = await understood(findings);
  const { native, problems } = findings;
  return {
    ...(exif && { exif }),
    ...(iptc && { iptc }),
    ...(xmp && { xmp }),
    ...(icc && { icc }),
    ...(native.length > 0 && { native }),
    problems,
  };
};

/** Metadata blocks as stored, without their container. */
export interface Blocks {
  /** Not of a TIFF, which has no block. */
  readonly exif: Uint8Array | undefined;
  readonly iptc: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
  readonly icc: Uint8Array | undefined;
}

/**
 * Finds the blocks that `readMetadata` reads, within the same limits, as stored; no profile within
 * a JPEG XL, and nothing of a PDF.
 */
export const readBlocks = async (
  reader: RangeReader,
  scan: MetadataScan | undefined,
  signal: AbortSignal,
): Promise<Blocks> => {
  const { findings } = await findIn(reader, scan, signal);
  return {
    exif: findings.block("exif"),
    iptc: findings.block("iptc"),
    xmp: findings.block("xmp"),
    icc: findings.block("icc"),
  };
};

/** Scans a file for everything that is read of it; `findings` has the damage. */
export const findIn = async (
  reader: RangeReader,
  scan: MetadataScan | undefined,
  signal: AbortSignal,
  readers: MetadataReaders = {},
): Promise<Scan> => {
  const findings = new Findings();
  const file = scanOf(reader, findings, signal, readers);
  await findings.attempt(async () => scan?.(file));
  return file;
};

const understood = async (findings: Findings) => {
  const [exif, iptc, xmp, icc] = (["exif", "iptc", "xmp", "icc"] as const).map((kind) =>
    findings.block(kind),
  );
  return {
    exif: exif ? await findings.attempt(() => readExif(exif, findings)) : findings.exif,
    iptc: iptc && readIptc(iptc, findings),
    xmp: xmp && (await readXmp(xmp, findings.block("extended XMP"), findings)),
    icc: icc && (await findings.attempt(() => readIcc(icc))),
  };
};
