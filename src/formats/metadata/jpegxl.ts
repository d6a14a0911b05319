import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type Box, boxesIn } from "../jpeg2000-file/boxes.ts";
import { type BlockKind, largest } from "./findings.ts";
import { bytesAt, keepBlock, type Scan, within } from "./scan.ts";

const unpack = promisify(brotliDecompress);
const bareStart = 0xff0a;

/** Looks through the boxes of a JPEG XL file (ISO/IEC 18181-2); a bare codestream has nothing but pixels. */
export const scanJpegXl = async (scan: Scan): Promise<void> => {
  const start = await bytesAt(scan, 0, 2);
  if (start?.readUInt16BE(0) === bareStart) return;
  for await (const box of boxesIn(scan.window, { from: 0, to: scan.size })) {
    if (box.missing > 0)
      scan.findings.problem(`Expected ${box.missing} bytes more of the box ${box.type.trimEnd()}.`);
    else if (box.type === "brob") await takePacked(scan, box);
    else await takePlain(scan, box);
  }
};

const kinds: Readonly<Record<string, BlockKind | undefined>> = { Exif: "exif", "xml ": "xmp" };

/** Exif has before it how many bytes its TIFF is away. */
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

/** A box in Brotli: what it is, then its contents (ISO/IEC 18181-2, 9.9). */
const takePacked = async (scan: Scan, { offset, length }: Box): Promise<void> => {
  const head = await bytesAt(scan, offset, Math.min(length, 4));
  const kind = head && kinds[head.toString("latin1")];
  if (kind === undefined || !scan.findings.wants(kind)) return;
  const place = { offset: offset + 4, length: length - 4 };
  const packed = await within(scan, place, { name: `block of ${kind}`, most: largest[kind] });
  const bytes = packed && (await unpacked(scan, kind, packed));
  if (bytes === undefined) return;
  const skipped =
    kind === "exif" && bytes.length >= exifOffset ? exifOffset + bytes.readUInt32BE(0) : 0;
  if (skipped >= bytes.length) tellEmpty(scan, kind);
  else scan.findings.addBlock(kind, bytes.subarray(skipped));
};

const tellEmpty = (scan: Scan, kind: BlockKind): void =>
  scan.findings.problem(`Expected ${kind} in the JPEG XL behind its header; there is none.`);

/** Bytes out of Brotli; undefined, and a problem, where they are damaged or come to too much. */
const unpacked = async (
  { findings }: Scan,
  kind: BlockKind,
  packed: Buffer,
): Promise<Buffer | undefined> => {
  const most = largest[kind];
  const problem = (damage: string): undefined => {
    findings.inflated.take(most);
    findings.problem(`Expected ${kind} of the JPEG XL in Brotli; ${damage}, and left out.`);
  };
  if (!findings.inflated.take(0)) return problem("it comes to too much");
  try {
    const bytes = await unpack(Buffer.from(packed), { maxOutputLength: most });
    return findings.inflated.take(bytes.length) ? bytes : problem("it comes to too much");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return problem(`it comes to more than ${most} bytes`);
    if (/^(?:ERR_|Z_)/.test(code)) return problem("it is damaged");
    throw error;
  }
};
