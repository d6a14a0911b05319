import type { BlockKind } from "./findings.ts";
import { bytesAt, keepBlock, type Scan } from "./scan.ts";

const riffHeader = 12;
const chunkHeader = 8;
const maxChunks = 100_000;

/**
 * Scans the chunks of a WebP (RFC 9649, section 2.7); those without a block are reported by size.
 */
export const scanWebp = async (scan: Scan): Promise<void> => {
  const told = new Map<string, { count: number; bytes: number }>();
  let at = riffHeader;
  for (let count = 0; count < maxChunks && at + chunkHeader <= scan.size; count++) {
    const head = await bytesAt(scan, at, chunkHeader);
    if (head === undefined) break;
    const name = head.toString("latin1", 0, 4);
    const length = head.readUInt32LE(4);
    const kind = kinds[name];
    if (kind !== undefined) await keepBlock(scan, kind, { offset: at + chunkHeader, length });
    else if (told.has(name) || told.size < maxNames) {
      const before = told.get(name) ?? { count: 0, bytes: 0 };
      told.set(name, { count: before.count + 1, bytes: before.bytes + length });
    }
    at += chunkHeader + length + (length & 1);
  }
  if (at > scan.size + 1) scan.findings.problem("Truncated chunk in the WebP.");
  for (const [name, { count, bytes }] of told)
    scan.findings.addField({ name: name.trimEnd(), bytes, ...(count > 1 && { count }) });
};

const maxNames = 64;

const kinds: Readonly<Record<string, BlockKind | undefined>> = {
  EXIF: "exif",
  "XMP ": "xmp",
  ICCP: "icc",
};
