import type { Findings } from "./findings.ts";
import { datasetNames } from "./iptc-names.ts";
import { decoded, latin1, textOf, utf8 } from "./text.ts";
import type { Fields, Value } from "./values.ts";

const maxDatasets = 10_000;
const mark = 0x1c;

interface Dataset {
  readonly key: string;
  readonly bytes: Buffer;
}

/**
 * Parses datasets of IIM 4.2 (chapter 3) as far as they are intact; undefined where there are none.
 */
export const readIptc = (block: Buffer, findings: Findings): Fields | undefined => {
  const datasets = datasetsOf(inOrder(block), findings);
  const decode = decoderOf(datasets.find(({ key }) => key === "1:90")?.bytes);
  const fields = new Map<string, Value[]>();
  const single = new Set<string>();
  for (const { key, bytes } of datasets) {
    const facts = datasetNames.get(key);
    const name = facts?.name ?? key;
    const values = fields.get(name) ?? [];
    if (values.length === 0) fields.set(name, values);
    if (facts?.repeated !== true) single.add(name);
    values.push(datasetValue(key, bytes, decode));
  }
  if (fields.size === 0) return undefined;
  return Object.fromEntries(
    [...fields].map(([name, values]) => [
      name,
      single.has(name) && values.length === 1 ? (values[0] ?? "") : values,
    ]),
  );
};

/** The datasets of a block in order, with their texts in its stated character set. */
export const decodedDatasets = (
  block: Buffer,
  findings: Findings,
): readonly (Dataset & { readonly text: string })[] => {
  const datasets = datasetsOf(inOrder(block), findings);
  const decode = decoderOf(datasets.find(({ key }) => key === "1:90")?.bytes);
  return datasets.map((one) => ({ ...one, text: decode(one.bytes) }));
};

const datasetValue = (key: string, bytes: Buffer, decode: (bytes: Buffer) => string): Value => {
  if (key === "1:90") return characterSets.get(latin1(bytes))?.name ?? escaped(bytes);
  if (datasetNames.get(key)?.binary === true && bytes.length > 0 && bytes.length <= 4)
    return bytes.readUIntBE(0, bytes.length);
  return decode(bytes);
};

/** TIFF writers that store it as 32-bit numbers may have swapped each four bytes. */
const inOrder = (block: Buffer): Buffer => {
  if (block[0] === mark || block[3] !== mark) return block;
  return Buffer.from(block.subarray(0, block.length & ~3)).swap32();
};

const datasetsOf = (block: Buffer, findings: Findings): Dataset[] => {
  const datasets: Dataset[] = [];
  for (let at = 0; at + 5 <= block.length && block[at] === mark; ) {
    if (datasets.length >= maxDatasets) {
      findings.problem(`There are more than ${maxDatasets} datasets of IPTC; the rest is skipped.`);
      break;
    }
    const key = `${block[at + 1]}:${block[at + 2]}`;
    const { from, length } = extentOf(block, at + 3);
    if (from + length > block.length) {
      findings.problem(`Truncated IPTC dataset ${key}: expected ${length} bytes.`);
      break;
    }
    datasets.push({ key, bytes: block.subarray(from, from + length) });
    at = from + length;
  }
  if (datasets.length === 0 && block.length > 0 && block[0] !== mark)
    findings.problem("The IPTC block holds no datasets.");
  return datasets;
};

/** The position of a dataset's value: its length has two bytes, or states its own length. */
const extentOf = (
  block: Buffer,
  at: number,
): { readonly from: number; readonly length: number } => {
  const short = block.readUInt16BE(at);
  if (short < 0x8000) return { from: at + 2, length: short };
  const size = short & 0x7fff;
  // Longer ones would not fit into any block that is read.
  if (size < 1 || size > 4 || at + 2 + size > block.length)
    return { from: at + 2, length: Number.POSITIVE_INFINITY };
  return { from: at + 2 + size, length: block.readUIntBE(at + 2, size) };
};

/**
 * The character sets of 1:90 by their escape sequences (ISO 2022), with their labels for decoders.
 */
const characterSets: ReadonlyMap<string, { readonly name: string; readonly label: string }> =
  new Map([
    ["\x1b%G", { name: "UTF-8", label: "utf-8" }],
    ...["A1", "B2", "C3", "D4", "L5", "G6", "F7", "H8", "M9"].flatMap((pair) => {
      const part = pair[1] ?? "";
      const set = { name: `ISO 8859-${part}`, label: `iso-8859-${part}` };
      return [`\x1b-${pair[0]}`, `\x1b.${pair[0]}`].map((sequence) => [sequence, set] as const);
    }),
  ]);

const decoderOf = (set: Buffer | undefined): ((bytes: Buffer) => string) => {
  const label = set && characterSets.get(latin1(set))?.label;
  if (label === undefined) return textOf;
  // The browsers' label for Latin-1 means Windows-1252, which differs from 80 to 9F.
  if (label === "iso-8859-1") return latin1;
  if (label === "utf-8") return (bytes) => utf8(bytes) ?? latin1(bytes);
  return (bytes) => decoded(bytes, label) ?? latin1(bytes);
};

const escaped = (bytes: Buffer): string => latin1(bytes).replaceAll("\x1b", "ESC ");
