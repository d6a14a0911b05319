import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { ServerError } from "../../core/errors.ts";
import type { ByteRange } from "../../core/range-reader.ts";
import { type Box, boxesIn } from "../containers/index.ts";
import { readHeader } from "../heif-jxl/jpegxl/index.ts";
import { lackText, libjxl } from "../shared/index.ts";
import { type BlockKind, largest } from "./findings.ts";
import type { ProfileJob, ProfileOutcome, ProfileReading } from "./jpegxl-profile.ts";
import { bytesAt, keepBlock, type Scan, within } from "./scan.ts";

const unpack = promisify(brotliDecompress);
const bareStart = 0xff0a;

/**
 * Scans the boxes of a JPEG XL file (ISO/IEC 18181-2), then reads the profile in the codestream
 * (ISO/IEC 18181-1, annex E), where possible: colours described by fields instead of a profile have
 * none. A bare codestream has nothing else.
 */
export const scanJpegXl = async (scan: Scan): Promise<void> => {
  const start = await bytesAt(scan, 0, 2);
  if (start?.readUInt16BE(0) === bareStart)
    return takeProfile(scan, [{ offset: 0, length: scan.size }]);
  const codestream: ByteRange[] = [];
  for await (const box of boxesIn(scan.window, { from: 0, to: scan.size })) {
    codestream.push(...partsIn(box));
    if (box.missing > 0)
      scan.findings.problem(
        `Truncated box ${box.type.trimEnd()}: ${box.missing} bytes are missing.`,
      );
    else if (box.type === "brob") await takePacked(scan, box);
    else await takePlain(scan, box);
  }
  await takeProfile(scan, codestream);
};

/** The codestream, or a numbered part of it. */
const partsIn = ({ type, offset, length }: Box): readonly ByteRange[] => {
  if (type === "jxlc") return [{ offset, length }];
  return type === "jxlp" && length > 4 ? [{ offset: offset + 4, length: length - 4 }] : [];
};

/**
 * Bytes of the codestream in which to look for its profile; the second value where the first was
 * too little.
 */
const beginnings = [65_536, largest.icc];

const usualPatienceMs = 10_000;

const takeProfile = async (scan: Scan, codestream: readonly ByteRange[]): Promise<void> => {
  const { findings, profiles } = scan;
  if (profiles === undefined) return;
  const patience = AbortSignal.timeout(profiles.patienceMs ?? usualPatienceMs);
  let length = 0;
  for (const max of beginnings) {
    const beginning = await beginningOf(scan, codestream, max);
    if (beginning.length === length) break;
    length = beginning.length;
    if (await isSettled(scan, { beginning, profiles, patience })) return;
  }
  findings.problem(
    `Corrupt or truncated colour description in the first ${length} bytes of the JPEG XL codestream.`,
  );
};

interface JpegXlReading {
  readonly beginning: Uint8Array;
  readonly profiles: ProfileReading;
  readonly patience: AbortSignal;
}

/** Stores the profile, or reports why not; false where the beginning is too short, or corrupt. */
const isSettled = async (
  { findings, signal }: Scan,
  { beginning, profiles, patience }: JpegXlReading,
): Promise<boolean> => {
  const header = readHeader(beginning);
  if (header === undefined || !header.profiled) return header !== undefined;
  const reason = header.xyb ? "its samples are stored in XYB" : await lack();
  if (reason !== undefined) {
    findings.problem(
      `The ICC profile of the JPEG XL cannot be read here: ${reason}. It is skipped.`,
    );
    return true;
  }
  const found = await inTurn(profiles, { beginning, max: largest.icc }, { signal, patience });
  if (found === "busy")
    findings.problem("The ICC profile of the JPEG XL is skipped: too many others are being read.");
  else if (found?.profile !== undefined) findings.addBlock("icc", found.profile);
  else if (found !== undefined && found.bytes > 0)
    findings.problem(
      `Expected an ICC profile of at most ${largest.icc} bytes; this one has ${found.bytes} and is skipped.`,
    );
  return found !== undefined;
};

/**
 * Why no profile can be read; undefined where one can. Of samples in XYB libvips reports the
 * profile of its own output.
 */
const lack = async (): Promise<string | undefined> => {
  const found = await libjxl.find();
  return "lacks" in found ? lackText(found.lacks) : undefined;
};

/** The profile as read in a thread; `busy` where none became free in time. */
const inTurn = async (
  profiles: ProfileReading,
  job: ProfileJob,
  { signal, patience }: { readonly signal: AbortSignal; readonly patience: AbortSignal },
): Promise<ProfileOutcome | "busy"> => {
  try {
    return await profiles.run(job, AbortSignal.any([signal, patience]));
  } catch (error) {
    signal.throwIfAborted();
    const isBusy = error instanceof ServerError && error.failure === "busy";
    if (isBusy || error === patience.reason) return "busy";
    throw error;
  }
};

const beginningOf = async (
  scan: Scan,
  codestream: readonly ByteRange[],
  max: number,
): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let left = max;
  for (const place of codestream) {
    const bytes = await bytesAt(scan, place.offset, Math.min(left, place.length));
    if (bytes === undefined) break;
    parts.push(Buffer.from(bytes));
    left -= bytes.length;
    if (left === 0) break;
  }
  return Buffer.concat(parts);
};

const kinds: Readonly<Record<string, BlockKind | undefined>> = { Exif: "exif", "xml ": "xmp" };

/** Exif is preceded by the distance to its TIFF in bytes. */
const exifOffset = 4;

const takePlain = async (scan: Scan, { type, offset, length }: Box): Promise<void> => {
  const kind = kinds[type];
  if (kind === "xmp") return keepBlock(scan, kind, { offset, length });
  if (kind !== "exif") return;
  const away = await bytesAt(scan, offset, Math.min(length, exifOffset));
  const skipped = exifOffset + (away?.length === exifOffset ? away.readUInt32BE(0) : 0);
  if (skipped >= length) tellEmpty(scan, kind);
  else await keepBlock(scan, kind, { offset: offset + skipped, length: length - skipped });
};

/** A Brotli-compressed box: its type, then its contents (ISO/IEC 18181-2, 9.9). */
const takePacked = async (scan: Scan, { offset, length }: Box): Promise<void> => {
  const head = await bytesAt(scan, offset, Math.min(length, 4));
  const kind = head && kinds[head.toString("latin1")];
  if (kind === undefined || !scan.findings.wants(kind)) return;
  const place = { offset: offset + 4, length: length - 4 };
  const packed = await within(scan, place, { name: `block of ${kind}`, max: largest[kind] });
  const bytes = packed && (await unpacked(scan, kind, packed));
  if (bytes === undefined) return;
  const skipped =
    kind === "exif" && bytes.length >= exifOffset ? exifOffset + bytes.readUInt32BE(0) : 0;
  if (skipped >= bytes.length) tellEmpty(scan, kind);
  else scan.findings.addBlock(kind, bytes.subarray(skipped));
};

const tellEmpty = (scan: Scan, kind: BlockKind): void =>
  scan.findings.problem(`Expected ${kind} after the header of the JPEG XL; there is none.`);

/** Decompressed Brotli; undefined, with a problem, where it is corrupt or too long. */
const unpacked = async (
  { findings }: Scan,
  kind: BlockKind,
  packed: Buffer,
): Promise<Buffer | undefined> => {
  const max = largest[kind];
  const problem = (damage: string): undefined => {
    findings.inflated.take(max);
    findings.problem(
      `Cannot decompress ${kind} of the JPEG XL (Brotli): ${damage}. It is skipped.`,
    );
  };
  if (!findings.inflated.take(0)) return problem("it is too long");
  try {
    const bytes = await unpack(Buffer.from(packed), { maxOutputLength: max });
    return findings.inflated.take(bytes.length) ? bytes : problem("it is too long");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return problem(`it is longer than ${max} bytes`);
    if (/^(?:ERR_|Z_)/.test(code)) return problem("it is damaged");
    throw error;
  }
};
