import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { type BlockKind, largest, longestText } from "./findings.ts";
import { iptcInPhotoshop } from "./photoshop.ts";
import { bytesAt, keepBlock, type Scan, textAt } from "./scan.ts";
import { latin1, textOf, untilNul } from "./text.ts";

const maxChunks = 100_000;
const unpack = promisify(inflate);

/** Scans the chunks of a PNG (PNG, third edition, sections 5 and 11.3). */
export const scanPng = async (scan: Scan): Promise<void> => {
  let at = 8;
  for (let count = 0; count < maxChunks; count++) {
    const head = await bytesAt(scan, at, 8);
    if (head === undefined) {
      scan.findings.problem("Truncated PNG: expected chunks up to IEND.");
      return;
    }
    const type = head.toString("latin1", 4, 8);
    if (type === "IEND") return;
    const length = head.readUInt32BE(0);
    const place = { offset: at + 8, length };
    if (type === "eXIf") await keepBlock(scan, "exif", place);
    const read = chunks[type];
    if (read !== undefined) {
      const bytes = await textAt(scan, `chunk ${type}`, place);
      if (bytes !== undefined) await read(scan, Buffer.from(bytes));
    }
    at += 12 + length;
  }
  scan.findings.problem(`There are more than ${maxChunks} chunks in the PNG; the rest is skipped.`);
};

type ReadChunk = (scan: Scan, bytes: Buffer) => void | Promise<void>;

const chunks: Readonly<Record<string, ReadChunk | undefined>> = {
  tEXt: (scan, bytes) => {
    const { name, from } = keywordOf(bytes);
    takeText(scan, { name, text: latin1(bytes.subarray(from)) });
  },
  zTXt: async (scan, bytes) => {
    const { name, from } = keywordOf(bytes);
    const text = await unpacked(scan, name, bytes.subarray(from + 1));
    if (text !== undefined) takeText(scan, { name, text: latin1(text) });
  },
  iTXt: async (scan, bytes) => {
    const { name, from } = keywordOf(bytes);
    const language = untilNul(latin1(bytes.subarray(from + 2)));
    const translated = bytes.indexOf(0, from + 2 + language.length + 1);
    if (translated < 0) {
      scan.findings.problem(`Truncated iTXt chunk with '${name}'.`);
      return;
    }
    const stored = bytes.subarray(translated + 1);
    const text = bytes[from] === 1 ? await unpacked(scan, name, stored) : stored;
    if (text === undefined) return;
    if (name === xmpKeyword) scan.findings.addBlock("xmp", text);
    else takeText(scan, { name, text: textOf(text), language });
  },
  iCCP: async (scan, bytes) => {
    const { name, from } = keywordOf(bytes);
    const profile = await unpacked(scan, name, bytes.subarray(from + 1), largest.icc);
    if (profile !== undefined) scan.findings.addBlock("icc", profile);
  },
  tIME: (scan, bytes) => {
    if (bytes.length !== 7) return scan.findings.problem("Expected 7 bytes in the chunk tIME.");
    const [month, day, hour, minute, second] = [...bytes.subarray(2)].map(twoDigits);
    scan.findings.addField({
      name: "tIME",
      value: `${bytes.readUInt16BE(0)}-${month}-${day}T${hour}:${minute}:${second}Z`,
    });
  },
  pHYs: (scan, bytes) => {
    if (bytes.length !== 9) return scan.findings.problem("Expected 9 bytes in the chunk pHYs.");
    const value = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
    scan.findings.addField({ name: bytes[8] === 1 ? "PixelsPerMetre" : "PixelAspect", value });
  },
};

const twoDigits = (number: number): string => `${number}`.padStart(2, "0");

/** The keyword of a chunk, and the offset after it. */
const keywordOf = (bytes: Buffer): { readonly name: string; readonly from: number } => {
  const name = untilNul(latin1(bytes.subarray(0, 80)));
  return { name, from: name.length + 1 };
};

/** Inflated bytes; undefined, with a problem, where they are corrupt or exceed the limit. */
const unpacked = async (
  { findings }: Scan,
  name: string,
  packed: Buffer,
  max: number = longestText,
): Promise<Buffer | undefined> => {
  const bytes = findings.inflated.take(0) ? await inflated(packed, max) : tooMuch;
  const isTaken = findings.inflated.take(typeof bytes === "string" ? max : bytes.length);
  if (typeof bytes !== "string" && isTaken) return bytes;
  const damage = typeof bytes === "string" ? bytes : tooMuch;
  findings.problem(`Cannot inflate '${name}' of the PNG: ${damage}. It is skipped.`);
  return undefined;
};

const tooMuch = "it is too long";

/** Inflated bytes, or what is wrong with them. */
const inflated = async (packed: Buffer, max: number): Promise<Buffer | string> => {
  try {
    return await unpack(packed, { maxOutputLength: max });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return `it is longer than ${max} bytes`;
    if (code?.startsWith("Z_") === true) return "it is corrupt";
    throw error;
  }
};

/** XMP belongs into iTXt (XMP Part 3, 1.1.5), but some writers use another text chunk. */
const xmpKeyword = "XML:com.adobe.xmp";

/** A text, or a block that a writer older than eXIf has put into one. */
const takeText = (
  scan: Scan,
  {
    name,
    text,
    language = "",
  }: {
    readonly name: string;
    readonly text: string;
    readonly language?: string;
  },
): void => {
  const kind = /^Raw profile type (\w+)$/.exec(name)?.[1];
  const block = kind === undefined ? undefined : rawProfile(text);
  const known = kind === undefined ? undefined : rawKinds[kind.toLowerCase()];
  if (name === xmpKeyword) scan.findings.addBlock("xmp", Buffer.from(text, "latin1"));
  else if (kind === undefined || block === undefined || known === undefined)
    scan.findings.addField({ name, value: text, ...(language !== "" && { language }) });
  else takeRaw(scan, known, block);
};

/** ImageMagick's names of its texts. */
const rawKinds: Readonly<Record<string, BlockKind | undefined>> = {
  exif: "exif",
  app1: "exif",
  iptc: "iptc",
  "8bim": "iptc",
  xmp: "xmp",
  icc: "icc",
  icm: "icc",
};

const xmpMark = Buffer.from("http://ns.adobe.com/xap/1.0/\0", "latin1");

const takeRaw = ({ findings }: Scan, kind: BlockKind, block: Buffer): void => {
  const isXmp = kind === "exif" && block.subarray(0, xmpMark.length).equals(xmpMark);
  const isPhotoshop = kind === "iptc" && block.toString("latin1", 0, 4) === "8BIM";
  const bytes = isPhotoshop ? iptcInPhotoshop(block, findings) : block;
  if (isXmp) findings.addBlock("xmp", block.subarray(xmpMark.length));
  else if (bytes !== undefined) findings.addBlock(kind, bytes);
};

/** A line with its name, one with its length, and hexadecimal digits in lines. */
const rawProfile = (text: string): Buffer | undefined => {
  const head = /^\s{0,16}\w{1,32}\s{1,16}(\d{1,8})\s/.exec(text);
  if (head === null) return undefined;
  const bytes = Buffer.from(text.slice(head[0].length).replace(/\s+/g, ""), "hex");
  return bytes.length === Number(head[1]) ? bytes : undefined;
};
