import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../test/corpus.ts";
import { memoryReader } from "../../../test/readers.ts";
import { readMetadata } from "../embedded-metadata.ts";
import { sniff } from "../sniff.ts";
import type { Metadata } from "./values.ts";

const signal = new AbortController().signal;
const wholeRun = 300_000;

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

const metadataOf = async (bytes: Buffer): Promise<Metadata | undefined> => {
  const reader = memoryReader(bytes);
  const format = await sniff(reader, signal).catch(() => undefined);
  return format === undefined ? undefined : readMetadata(reader, { format }, signal);
};

/**
 * What the image library finds in an intact image and we do not; undefined where there is nothing
 * to compare.
 */
const missingIn = async (file: CorpusFile): Promise<string[] | undefined> => {
  const bytes = await readFile(corpusPath(file));
  if (file.expect !== "ok" || bytes.length > maxBytes) return undefined;
  const theirs = await sharp(bytes)
    .metadata()
    .catch(() => undefined);
  const ours = await metadataOf(bytes);
  if (theirs === undefined || ours === undefined) return undefined;
  if (theirs.icc && ours.icc) expect(ours.icc.bytes, file.path).toBe(theirs.icc.length);
  // Damage is reported, and need not be found.
  if (ours.problems.length > 0) return [];
  // Their IPTC block is all of Photoshop's resources, whether IPTC is among them or not.
  const hasIptc = theirs.iptc?.includes(iptcResource) ?? false;
  const found = { ...theirs, iptc: hasIptc || theirs.iptc?.[0] === 0x1c ? theirs.iptc : undefined };
  return (["exif", "iptc", "xmp", "icc"] as const)
    .filter((kind) => found[kind] !== undefined && ours[kind] === undefined)
    .map((kind) => `${file.path}: ${kind}`);
};

test.skipIf(!corpusIsHere)(
  "finds every block that the image library finds in intact images",
  async () => {
    const compared: string[][] = [];
    for (const file of corpusFiles("jpeg", "png", "webp", "avif", "heic", "photos", "tiff")) {
      const missing = await missingIn(file);
      if (missing !== undefined) compared.push(missing);
    }
    expect(compared.length).toBeGreaterThan(100);
    expect(compared.flat()).toEqual([]);
  },
  wholeRun,
);

const iptcResource = Buffer.from("8BIM\x04\x04", "latin1");
const maxBytes = 20_000_000;

test.skipIf(!corpusIsHere)(
  "reads corrupt images without throwing, into values that JSON preserves",
  async () => {
    const files = corpusFiles("malformed");
    for (const file of files) {
      const bytes = await readFile(corpusPath(file));
      const metadata = await metadataOf(bytes);
      if (metadata) expect(JSON.parse(JSON.stringify(metadata)), file.path).toEqual(metadata);
    }
    expect(files.length).toBeGreaterThan(10);
  },
  wholeRun,
);
