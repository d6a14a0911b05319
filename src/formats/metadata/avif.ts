import { fail } from "../../core/errors.ts";
import type { ByteRange } from "../../core/range-reader.ts";
import { type Box, boxesIn } from "../containers/index.ts";
import { type AvifItem, readItems, readLocations } from "./avif-items.ts";
import type { BlockKind } from "./findings.ts";
import { bytesAt, joined, keepBlock, type Scan, textAt } from "./scan.ts";

const maxBoxes = 1_024;

/** Scans the items of an AVIF or HEIC (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9 and annex A). */
export const scanAvif = async (scan: Scan): Promise<void> => {
  const file = await boxesOf(scan, { offset: 0, length: scan.size });
  const brands = file.find(({ type }) => type === "ftyp");
  if (brands !== undefined) await takeBrands(scan, brands);
  const meta = file.find(({ type }) => type === "meta");
  if (meta === undefined) return;
  const boxes = await boxesOf(scan, { offset: meta.offset + 4, length: meta.length - 4 });
  await takeProfile(scan, boxes);
  await takeItems(scan, boxes);
};

const boxesOf = async (
  scan: Scan,
  { offset, length }: Pick<Box, "offset" | "length">,
): Promise<readonly Box[]> => {
  const boxes: Box[] = [];
  for await (const box of boxesIn(scan.window, { from: offset, to: offset + length })) {
    boxes.push(box);
    if (boxes.length >= maxBoxes) break;
  }
  return boxes;
};

const takeBrands = async (scan: Scan, { offset, length }: Box): Promise<void> => {
  const bytes = await bytesAt(scan, offset, Math.min(length, 256));
  if (bytes === undefined || bytes.length < 8) return;
  const brands = [bytes.toString("latin1", 0, 4)];
  for (let at = 8; at + 4 <= bytes.length; at += 4)
    brands.push(bytes.toString("latin1", at, at + 4));
  scan.findings.addField({ name: "Brands", value: brands });
};

/** The first profile among the properties: images of one file rarely differ in it. */
const takeProfile = async (scan: Scan, boxes: readonly Box[]): Promise<void> => {
  const properties = boxes.find(({ type }) => type === "iprp");
  const container =
    properties && (await boxesOf(scan, properties)).find(({ type }) => type === "ipco");
  for (const { type, offset, length } of container ? await boxesOf(scan, container) : []) {
    const kind = type === "colr" && length > 4 ? await bytesAt(scan, offset, 4) : undefined;
    if (kind !== undefined && ["prof", "rICC"].includes(kind.toString("latin1")))
      return keepBlock(scan, "icc", { offset: offset + 4, length: length - 4 });
  }
};

const takeItems = async (scan: Scan, boxes: readonly Box[]): Promise<void> => {
  const data = boxes.find(({ type }) => type === "idat");
  const items = readItems(await contents(scan, boxes, "iinf"));
  const wanted = items.flatMap((item) => kindOf(item) ?? []);
  if (wanted.length === 0) return;
  const locations = readLocations(await contents(scan, boxes, "iloc"));
  for (const { id, kind } of wanted) {
    const location = locations.get(id);
    const base = location?.isInData === true ? data?.offset : 0;
    if (location === undefined || base === undefined)
      scan.findings.problem(`The file lists ${kind} without its location.`);
    else await takeItem(scan, kind, moved(location.extents, base));
  }
};

const moved = (places: readonly ByteRange[], by: number): ByteRange[] =>
  places.map(({ offset, length }) => ({ offset: offset + by, length }));

const contents = async (scan: Scan, boxes: readonly Box[], name: string): Promise<Buffer> => {
  const box = boxes.find(({ type }) => type === name);
  const bytes = box && (await textAt(scan, `box ${name}`, box));
  return bytes
    ? Buffer.from(bytes)
    : fail("unreadable", `Metadata cannot be located: the file has no box ${name}.`);
};

const kindOf = ({
  id,
  type,
  contentType,
}: AvifItem): { id: number; kind: BlockKind } | undefined => {
  if (type === "Exif") return { id, kind: "exif" };
  return type === "mime" && contentType === "application/rdf+xml" ? { id, kind: "xmp" } : undefined;
};

const takeItem = async (
  scan: Scan,
  kind: BlockKind,
  places: readonly ByteRange[],
): Promise<void> => {
  if (!scan.findings.wants(kind)) return;
  const bytes = await joined(scan, kind, places);
  if (bytes === undefined) return;
  // Exif is preceded by the distance to its TIFF in bytes (ISO/IEC 23008-12, A.2.1).
  const start = kind === "exif" ? 4 + (bytes.length < 4 ? 0 : bytes.readUInt32BE(0)) : 0;
  if (start >= bytes.length)
    scan.findings.problem(`Expected ${kind} after its header; there is none.`);
  else scan.findings.addBlock(kind, bytes.subarray(start));
};
