import type { Findings } from "./findings.ts";

const maxResources = 4_096;
const iptc = 0x0404;

/**
 * The IPTC in Photoshop's image resources (Photoshop File Formats, "Image Resource Blocks");
 * undefined without.
 */
export const iptcInPhotoshop = (block: Buffer, findings: Findings): Buffer | undefined => {
  let at = 0;
  for (let count = 0; count < maxResources && at + 12 <= block.length; count++) {
    const signature = block.toString("latin1", at, at + 4);
    if (!signatures.has(signature)) break;
    const nameLength = (block[at + 6] ?? 0) + 1;
    const sizeAt = at + 6 + nameLength + (nameLength & 1);
    if (sizeAt + 4 > block.length) break;
    const size = block.readUInt32BE(sizeAt);
    const from = sizeAt + 4;
    if (from + size > block.length) {
      findings.problem(`Truncated Photoshop resource: expected ${size} bytes.`);
      return undefined;
    }
    if (block.readUInt16BE(at + 4) === iptc) return block.subarray(from, from + size);
    at = from + size + (size & 1);
  }
  return undefined;
};

const signatures: ReadonlySet<string> = new Set(["8BIM", "MeSa", "AgHg", "PHUT", "DCSR"]);
