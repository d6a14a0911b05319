import { readFile } from "node:fs/promises";
import { bytesOfKind, type KindOfBytes } from "./bytes.ts";

/** Bytes that are compressed in a file beside this one; `make.mjs` makes it. */
export interface Example {
  readonly name: string;
  readonly kind: KindOfBytes;
  readonly length: number;
}

/** Compressed by Zstandard: consecutive frames, or one. */
export interface ZstdExample extends Example {
  /** Zstandard's own names of parameters, without `ZSTD_c_`. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Twice the same frame, with a skippable one between them. */
  readonly isTwofold?: true;
}

/** Compressed by `xz`, with these options. */
export interface XzExample extends Example {
  readonly options: readonly string[];
}

const level = (compressionLevel: number) => ({ compressionLevel });
/** Many small blocks, which repeat the tables of those before them. */
const smallBlocks = { compressionLevel: 19, windowLog: 10, contentSizeFlag: 0 };

export const zstdExamples: readonly ZstdExample[] = [
  { name: "empty.zst", kind: "none", length: 0, parameters: level(3) },
  { name: "one.zst", kind: "few", length: 1, parameters: level(3) },
  { name: "same.zst", kind: "none", length: 300_000, parameters: level(3) },
  { name: "noise.zst", kind: "noise", length: 1_500, parameters: level(3) },
  { name: "three.zst", kind: "three", length: 3_000, parameters: level(1) },
  { name: "runs-fast.zst", kind: "runs", length: 3_000, parameters: level(-5) },
  { name: "few.zst", kind: "few", length: 3_000, parameters: level(1) },
  { name: "few-short.zst", kind: "few", length: 200, parameters: level(19) },
  { name: "skewed.zst", kind: "skewed", length: 3_000, parameters: level(9) },
  { name: "runs.zst", kind: "runs", length: 20_000, parameters: level(19) },
  { name: "near.zst", kind: "near", length: 5_000, parameters: level(22) },
  { name: "far.zst", kind: "far", length: 200_000, parameters: level(12) },
  { name: "differences.zst", kind: "differences", length: 6_000, parameters: level(3) },
  { name: "blocks.zst", kind: "near", length: 9_000, parameters: smallBlocks },
  { name: "blocks-of-literals.zst", kind: "differences", length: 9_000, parameters: smallBlocks },
  {
    name: "checked.zst",
    kind: "runs",
    length: 4_000,
    parameters: { compressionLevel: 5, checksumFlag: 1 },
  },
  {
    name: "twofold.zst",
    kind: "far",
    length: 2_500,
    parameters: { compressionLevel: 5, checksumFlag: 1 },
    isTwofold: true,
  },
];

const check = (name: string): string => `--check=${name}`;

export const xzExamples: readonly XzExample[] = [
  { name: "empty.xz", kind: "none", length: 0, options: [] },
  { name: "same.xz", kind: "none", length: 300_000, options: [check("none")] },
  { name: "noise.xz", kind: "noise", length: 1_500, options: [check("crc32")] },
  { name: "few.xz", kind: "few", length: 2_000, options: [check("crc64"), "-0"] },
  { name: "skewed.xz", kind: "skewed", length: 2_000, options: [check("sha256"), "-9e"] },
  { name: "runs.xz", kind: "runs", length: 10_000, options: [check("none")] },
  { name: "far.xz", kind: "far", length: 100_000, options: [] },
  {
    name: "places.xz",
    kind: "near",
    length: 3_000,
    options: [check("crc32"), "--lzma2=preset=6,lc=1,lp=3,pb=4"],
  },
  {
    name: "without-places.xz",
    kind: "near",
    length: 3_000,
    options: [check("crc32"), "--lzma2=preset=6,lc=0,lp=0,pb=0"],
  },
  {
    name: "delta.xz",
    kind: "differences",
    length: 3_000,
    options: ["--delta=dist=3", "--lzma2=preset=6"],
  },
  {
    name: "two-deltas.xz",
    kind: "runs",
    length: 3_000,
    options: [check("crc32"), "--delta=dist=1", "--delta=dist=256", "--lzma2=preset=6"],
  },
  { name: "blocks.xz", kind: "runs", length: 5_000, options: ["--block-size=1000"] },
  {
    name: "blocks-of-known-size.xz",
    kind: "few",
    length: 2_500,
    options: ["--block-size=1000", "-T2"],
  },
];

/** The original data of an example. */
export const plainOf = ({ kind, length, ...rest }: Example & { isTwofold?: true }): Buffer => {
  const once = bytesOfKind(kind, length);
  return Buffer.concat(rest.isTwofold ? [once, once] : [once]);
};

/** An example's file. */
export const packedOf = async ({ name }: Example): Promise<Uint8Array> =>
  Uint8Array.from(await readFile(new URL(name, import.meta.url)));
