import { largest, longestText } from "./findings.ts";
import { bytesAt, type Scan } from "./scan.ts";
import { textOf } from "./text.ts";

const header = 13;
/**
 * XMP in a GIF is unencoded, with a trailer that leads block readers to its end (XMP Part 3,
 * 1.1.2).
 */
const xmpTrailer = 257;

/** Scans the blocks of a GIF (GIF89a, sections 15 to 27). */
export const scanGif = async (scan: Scan): Promise<void> => {
  const head = await bytesAt(scan, 0, header);
  if (head === undefined) return scan.findings.problem("Truncated GIF header.");
  let at: number | undefined = header + tableBytes(head[10] ?? 0);
  while (at !== undefined) at = await block(scan, at);
};

/** Bytes of a colour table, by the flags before it. */
const tableBytes = (flags: number): number =>
  (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);

const trailer = 0x3b;
const extension = 0x21;
const picture = 0x2c;

/** Extracts the useful part of a block; returns the position of the next one. */
const block = async (scan: Scan, at: number): Promise<number | undefined> => {
  const start = await bytesAt(scan, at, 1);
  switch (start?.[0]) {
    case trailer:
      return undefined;
    case picture: {
      const head = await bytesAt(scan, at, 10);
      if (head !== undefined) return skip(scan, at + 11 + tableBytes(head[9] ?? 0));
      break;
    }
    case extension: {
      const head = await bytesAt(scan, at, 2);
      if (head !== undefined) return extended(scan, head[1] ?? 0, at + 2);
      break;
    }
    default:
  }
  scan.findings.problem("Corrupt or truncated GIF: expected a block.");
  return undefined;
};

const comment = 0xfe;
const application = 0xff;
const control = 0xf9;

const extended = async (scan: Scan, label: number, at: number): Promise<number | undefined> => {
  if (label === comment) {
    const { bytes, end } = await subBlocks(scan, at, longestText);
    if (bytes !== undefined) scan.findings.addField({ name: "Comment", value: textOf(bytes) });
    return end;
  }
  const name = label === application ? await bytesAt(scan, at, 12) : undefined;
  switch (name?.[0] === 11 ? name.toString("latin1", 1) : "") {
    case "XMP DataXMP":
      return takeXmp(scan, at + 12);
    case "ICCRGBG1012": {
      const { bytes, end } = await subBlocks(scan, at + 12, largest.icc);
      if (bytes !== undefined) scan.findings.addBlock("icc", bytes);
      return end;
    }
    case "NETSCAPE2.0":
      await takeLoops(scan, at + 12);
      return skip(scan, at);
    default:
      if (label === control) await takeDelay(scan, at);
      return skip(scan, at);
  }
};

/** The graphic control extension (section 23): its first block has flags and a duration. */
const takeDelay = async ({ findings, ...scan }: Scan, at: number): Promise<void> => {
  const bytes = await bytesAt(scan, at, 4);
  if (bytes?.[0] === 4 && findings.animation.delayTime === undefined)
    findings.animation = { ...findings.animation, delayTime: bytes.readUInt16LE(2) };
};

/** Netscape's extension: a block of three bytes, a one and the number of repetitions. */
const takeLoops = async ({ findings, ...scan }: Scan, at: number): Promise<void> => {
  const bytes = await bytesAt(scan, at, 4);
  if (bytes?.[0] === 3 && bytes[1] === 1 && findings.animation.loopCount === undefined)
    findings.animation = { ...findings.animation, loopCount: bytes.readUInt16LE(2) };
};

/**
 * The packet and its trailer together form blocks, whatever lengths the packet's characters seem to
 * be.
 */
const takeXmp = async (scan: Scan, at: number): Promise<number | undefined> => {
  const end = await skip(scan, at);
  if (end === undefined) return undefined;
  const length = end - at - xmpTrailer - 1;
  const mark = length < 0 ? undefined : await bytesAt(scan, at + length, 2);
  if (length > largest.xmp || mark?.[0] !== 1 || mark[1] !== 0xff) {
    scan.findings.problem("The XMP of the GIF is too large or lacks its trailer.");
    return end;
  }
  const bytes = await bytesAt(scan, at, length);
  if (bytes !== undefined) scan.findings.addBlock("xmp", bytes);
  return end;
};

/** The position after skipped sub-blocks. */
const skip = async (scan: Scan, at: number): Promise<number | undefined> =>
  (await subBlocks(scan, at, 0)).end;

interface SubBlocks {
  /** Undefined where there are more than the maximum. */
  readonly bytes: Buffer | undefined;
  /** Undefined where the file ends in them. */
  readonly end: number | undefined;
}

const subBlocks = async (scan: Scan, from: number, max: number): Promise<SubBlocks> => {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = from; ; ) {
    const size = (await bytesAt(scan, at, 1))?.[0];
    if (size === undefined) {
      scan.findings.problem("Truncated block in the GIF.");
      return { bytes: undefined, end: undefined };
    }
    if (size === 0) return { bytes: length <= max ? Buffer.concat(parts) : undefined, end: at + 1 };
    length += size;
    const bytes = length <= max ? await bytesAt(scan, at + 1, size) : undefined;
    if (bytes !== undefined) parts.push(Buffer.from(bytes));
    at += 1 + size;
  }
};
