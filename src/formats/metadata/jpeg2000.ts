import { type Box, boxesIn } from "../containers/index.ts";
import type { BlockKind } from "./findings.ts";
import { bytesAt, keepBlock, type Scan, textAt } from "./scan.ts";
import { latin1, textOf } from "./text.ts";

const uuidBytes = 16;
const maxSegments = 1_024;

/**
 * Scans the boxes of a JP2, JPX or JPH file and the comments of its codestream (ISO/IEC 15444-1, I
 * and A.9.2).
 */
export const scanJpeg2000 = async (scan: Scan): Promise<void> => {
  const start = await bytesAt(scan, 0, 4);
  if (start?.readUInt32BE(0) === bareStart) return comments(scan, 0);
  const boxes: Box[] = [];
  for await (const box of boxesIn(scan.window, { from: 0, to: scan.size })) boxes.push(box);
  for (const box of boxes) {
    if (box.missing > 0)
      scan.findings.problem(
        `Truncated box ${box.type.trimEnd()}: ${box.missing} bytes are missing.`,
      );
    if (box.type === "jp2h") await takeProfile(scan, box);
    if (box.type === "uuid") await takeUuid(scan, box);
    if (box.type === "xml ") await takeXml(scan, box);
  }
  const codestream = boxes.find(({ type }) => type === "jp2c");
  if (codestream !== undefined) await comments(scan, codestream.offset);
};

const bareStart = 0xff4fff51;
const segmentComment = 0x64;
const startOfTilePart = 0x90;

const comments = async (scan: Scan, start: number): Promise<void> => {
  let at = start + 2;
  for (let count = 0; count < maxSegments; count++) {
    const head = await bytesAt(scan, at, 6);
    if (head === undefined || head[0] !== 0xff || head[1] === startOfTilePart) return;
    const length = head.readUInt16BE(2);
    if (length < 2) return;
    if (head[1] === segmentComment && length >= 4) {
      const isText = head.readUInt16BE(4) === 1;
      const bytes = isText ? await bytesAt(scan, at + 6, length - 4) : undefined;
      scan.findings.addField(
        bytes ? { name: "Comment", value: latin1(bytes) } : { name: "Comment", bytes: length - 4 },
      );
    }
    at += 2 + length;
  }
};

const takeProfile = async (scan: Scan, header: Box): Promise<void> => {
  const stretch = { from: header.offset, to: header.offset + header.length };
  for await (const { type, offset, length } of boxesIn(scan.window, stretch)) {
    const method =
      type === "colr" && length > 3 ? (await bytesAt(scan, offset, 1))?.[0] : undefined;
    // Restricted and any profile (Part 1, I.5.3.3; Part 2, M.11.7.3).
    if (method === 2 || method === 3)
      return keepBlock(scan, "icc", { offset: offset + 3, length: length - 3 });
  }
};

const takeUuid = async (scan: Scan, { offset, length }: Box): Promise<void> => {
  const bytes = await bytesAt(scan, offset, uuidBytes);
  if (bytes === undefined || length < uuidBytes) return;
  const id = bytes.toString("hex");
  const kind = uuids[id];
  if (kind === undefined) scan.findings.addField({ name: `uuid ${id}`, bytes: length - uuidBytes });
  else await keepBlock(scan, kind, { offset: offset + uuidBytes, length: length - uuidBytes });
};

const uuids: Readonly<Record<string, BlockKind | undefined>> = {
  be7acfcb97a942e89c71999491e3afac: "xmp",
  // The letters JpgTiffExif->JP2.
  "4a706754696666457869662d3e4a5032": "exif",
  "33c7a4d2b81d4723a0baf1a3e097ad38": "iptc",
};

/** Some writers put XMP into an XML box. */
const takeXml = async (scan: Scan, { offset, length }: Box): Promise<void> => {
  const bytes = await textAt(scan, "box of XML", { offset, length });
  if (bytes === undefined) return;
  const start = latin1(bytes.subarray(0, 4_096));
  if (start.includes("x:xmpmeta") || start.includes("rdf:RDF"))
    scan.findings.addBlock("xmp", bytes);
  else scan.findings.addField({ name: "xml", value: textOf(bytes) });
};
