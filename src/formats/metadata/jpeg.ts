import type { ByteRange } from "../../core/range-reader.ts";
import { iptcInPhotoshop } from "./photoshop.ts";
import { bytesAt, joined, keepBlock, type Scan, textAt } from "./scan.ts";
import { latin1, textOf } from "./text.ts";
import { extendedName } from "./xmp.ts";

const maxSegments = 4_096;
const maxGarbage = 65_536;
const longestMark = 40;

const exifMark = "Exif\0\0";
const xmpMark = "http://ns.adobe.com/xap/1.0/\0";
const extendedMark = "http://ns.adobe.com/xmp/extension/\0";
const iccMark = "ICC_PROFILE\0";
const photoshopMark = "Photoshop 3.0\0";

/** Pieces of data that does not fit into one segment. */
interface Pieces {
  readonly icc: { readonly number: number; readonly place: ByteRange }[];
  readonly photoshop: ByteRange[];
  readonly extended: { readonly name: string; readonly at: number; readonly place: ByteRange }[];
}

/**
 * Scans the segments of a JPEG before its first scan (ITU-T T.81, B.2; Exif 3.0, 4.7; XMP Part 3,
 * 1.1.3).
 */
export const scanJpeg = async (scan: Scan): Promise<void> => {
  const pieces: Pieces = { icc: [], photoshop: [], extended: [] };
  for await (const segment of segmentsOf(scan)) await takeSegment(scan, segment, pieces);
  await joinProfile(scan, pieces);
  await joinPhotoshop(scan, pieces);
  await joinExtended(scan, pieces);
};

interface MetadataSegment extends ByteRange {
  /** Second byte of its marker. */
  readonly marker: number;
}

const segmentsOf = async function* (scan: Scan): AsyncGenerator<MetadataSegment> {
  let garbage = 0;
  for (let at = 2, count = 0; count < maxSegments; ) {
    const head = (await bytesAt(scan, at, 4)) ?? none;
    const [first, marker = endOfImage] = head;
    if (head.length === 0 || garbage > maxGarbage) {
      scan.findings.problem("Truncated JPEG: its segments end before the first scan.");
      return;
    }
    if (first !== 0xff || marker === 0xff || marker === 0) {
      // Fill bytes may precede a marker; decoders also skip invalid bytes.
      garbage++;
      at++;
      continue;
    }
    if (marker === startOfScan || marker === endOfImage) return;
    count++;
    if (isAlone(marker)) {
      at += 2;
      continue;
    }
    const length = head.readUInt16BE(2);
    if (length < 2) {
      scan.findings.problem(`Expected a JPEG segment of at least 2 bytes, not ${length}.`);
      return;
    }
    yield { marker, offset: at + 4, length: length - 2 };
    at += 2 + length;
  }
};

const none = Buffer.alloc(0);
const startOfScan = 0xda;
const endOfImage = 0xd9;
/** Markers without a length: RST, SOI and TEM. */
const isAlone = (marker: number): boolean => (marker >= 0xd0 && marker <= 0xd8) || marker === 1;

const takeSegment = async (scan: Scan, segment: MetadataSegment, pieces: Pieces): Promise<void> => {
  const { marker, offset, length } = segment;
  switch (marker) {
    case 0xe0:
      return takeJfif(scan, segment);
    case 0xe1:
      return takeApp1(scan, segment, pieces);
    case 0xe2: {
      const place = await behind(scan, segment, iccMark);
      const head = place && (await bytesAt(scan, place.offset, 2));
      if (place && head && place.length >= 2)
        pieces.icc.push({ number: head[0] ?? 0, place: rest(place, 2) });
      return;
    }
    case 0xed: {
      const place = await behind(scan, segment, photoshopMark);
      if (place) pieces.photoshop.push(place);
      return;
    }
    case 0xee: {
      const place = await behind(scan, segment, "Adobe");
      const head = place && (await bytesAt(scan, place.offset, 7));
      if (head) scan.findings.addField({ name: "AdobeTransform", value: head[6] ?? 0 });
      return;
    }
    case 0xfe: {
      const bytes = await textAt(scan, "comment", { offset, length });
      if (bytes) scan.findings.addField({ name: "Comment", value: textOf(bytes) });
      return;
    }
    default:
  }
};

const takeJfif = async (scan: Scan, segment: MetadataSegment): Promise<void> => {
  const place = await behind(scan, segment, "JFIF\0");
  const head = place && place.length >= 7 && (await bytesAt(scan, place.offset, 7));
  if (!head) return;
  const minor = `${head[1]}`.padStart(2, "0");
  scan.findings.addField({ name: "JFIFVersion", value: `${head[0]}.${minor}` });
  scan.findings.addField({ name: "JFIFDensityUnit", value: head[2] ?? 0 });
  scan.findings.addField({
    name: "JFIFDensity",
    value: [head.readUInt16BE(3), head.readUInt16BE(5)],
  });
};

const takeApp1 = async (scan: Scan, segment: MetadataSegment, pieces: Pieces): Promise<void> => {
  const exif = await behind(scan, segment, exifMark);
  if (exif) return keepBlock(scan, "exif", exif);
  const xmp = await behind(scan, segment, xmpMark);
  if (xmp) return keepBlock(scan, "xmp", xmp);
  const extended = await behind(scan, segment, extendedMark);
  const head = extended && (await bytesAt(scan, extended.offset, longestMark));
  if (extended && head && extended.length >= longestMark)
    pieces.extended.push({
      name: latin1(head.subarray(0, 32)),
      at: head.readUInt32BE(36),
      place: rest(extended, longestMark),
    });
};

/** The data after a mark; undefined where a segment does not begin with it. */
const behind = async (
  scan: Scan,
  { offset, length }: ByteRange,
  mark: string,
): Promise<ByteRange | undefined> => {
  if (length < mark.length) return undefined;
  const start = await bytesAt(scan, offset, mark.length);
  return start && latin1(start) === mark ? rest({ offset, length }, mark.length) : undefined;
};

const rest = ({ offset, length }: ByteRange, taken: number): ByteRange => ({
  offset: offset + taken,
  length: length - taken,
});

/** The parts of a profile count from 1 (ICC.1:2022, B.4). */
const joinProfile = async (scan: Scan, { icc }: Pieces): Promise<void> => {
  if (icc.length === 0) return;
  const sorted = icc.toSorted((a, b) => a.number - b.number);
  if (sorted.some(({ number }, index) => number !== index + 1))
    scan.findings.problem("The parts of the ICC profile are not numbered consecutively.");
  else
    await keepJoined(
      scan,
      "icc",
      sorted.map(({ place }) => place),
    );
};

const joinPhotoshop = async (scan: Scan, { photoshop }: Pieces): Promise<void> => {
  const bytes = await joined(scan, "iptc", photoshop);
  const iptc = bytes && iptcInPhotoshop(bytes, scan.findings);
  if (iptc) scan.findings.addBlock("iptc", iptc);
};

/** The pieces that the packet names, which must be consecutive without a gap. */
const joinExtended = async (scan: Scan, { extended }: Pieces): Promise<void> => {
  const xmp = scan.findings.block("xmp");
  const wanted = xmp && (await extendedName(xmp));
  if (wanted === undefined) return;
  const pieces = extended.filter(({ name }) => name === wanted).sort((a, b) => a.at - b.at);
  let reached = 0;
  for (const { at, place } of pieces) {
    if (at !== reached) break;
    reached += place.length;
  }
  const whole = pieces.reduce((sum, { place }) => sum + place.length, 0);
  if (pieces.length === 0 || reached !== whole)
    scan.findings.problem("Parts of the extended XMP are missing.");
  else
    await keepJoined(
      scan,
      "extended XMP",
      pieces.map(({ place }) => place),
    );
};

const keepJoined = async (
  scan: Scan,
  kind: "icc" | "extended XMP",
  places: readonly ByteRange[],
): Promise<void> => {
  const bytes = await joined(scan, kind, places);
  if (bytes !== undefined) scan.findings.addBlock(kind, bytes);
};
