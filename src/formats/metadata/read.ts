import type { FormatName } from "../../core/formats.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { scanAvif } from "./avif.ts";
import { readExif } from "./exif.ts";
import { Findings } from "./findings.ts";
import { scanGif } from "./gif.ts";
import { readIcc } from "./icc-profile.ts";
import { readIptc } from "./iptc.ts";
import { scanJpeg } from "./jpeg.ts";
import { scanJpeg2000 } from "./jpeg2000.ts";
import { scanPng } from "./png.ts";
import { type Scan, scanOf } from "./scan.ts";
import { scanTiff } from "./tiff.ts";
import type { Metadata } from "./values.ts";
import { scanWebp } from "./webp.ts";
import { readXmp } from "./xmp.ts";

/**
 * Reads what a file says beside its pixels, by ranges and without decoding. What is damaged, or beyond the
 * bounds (2,048 readings, 64 MB, 4 MB for a block, 16 MB for a profile), is left out and told in `problems`. Throws only
 * what the reader throws, or the signal.
 */
export const readMetadata = async (
  reader: RangeReader,
  { format }: Pick<ImageInfo, "format">,
  signal: AbortSignal,
): Promise<Metadata> => {
  const findings = new Findings();
  const scan = scanOf(reader, findings, signal);
  await findings.attempt(() => scanners[format]?.(scan));
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

/** Formats that are not here carry nothing that is read. */
const scanners: Readonly<Partial<Record<FormatName, (scan: Scan) => Promise<void>>>> = {
  jpg: scanJpeg,
  png: scanPng,
  tif: scanTiff,
  gif: scanGif,
  webp: scanWebp,
  avif: scanAvif,
  jp2: scanJpeg2000,
};
