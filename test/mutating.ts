import { expect } from "vitest";
import { ServerError } from "../src/core/errors.ts";
import { readingFailed } from "../src/formats/libvips/failure.ts";
import { factsOf } from "../src/formats/registry.ts";
import type { Decoder } from "../src/formats/shared/codec.ts";
import { plan } from "./plans.ts";
import { type Random, random } from "./random.ts";
import { strictReader } from "./strict-reader.ts";

const strict = (bytes: Uint8Array) => strictReader(bytes, { maxReads: 20_000 });

/**
 * Changes a few bytes, half of the time near the start, where most can go wrong; sometimes
 * truncates the file.
 */
const mutate = (bytes: Uint8Array, { whole, one }: Random): Uint8Array => {
  const isCut = whole(1, 20) === 1;
  // `slice` of a Buffer would not copy.
  const copy = Uint8Array.from(bytes.subarray(0, isCut ? whole(0, bytes.length) : bytes.length));
  const end = whole(0, 1) === 0 ? Math.min(200, bytes.length) : bytes.length;
  for (let change = whole(1, 4); change > 0; change--) {
    const at = whole(0, end - 1);
    if (at < copy.length) copy[at] = one([whole(0, 255), 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]);
  }
  return copy;
};

const signal = new AbortController().signal;

/** Reads what fits of the first and the last page. */
const use = async (decoder: Decoder, bytes: Uint8Array): Promise<"read" | "refused"> => {
  const reader = strict(bytes);
  try {
    const info = await decoder.info(reader, signal);
    for (const page of new Set([0, info.pages.length - 1])) {
      const { width, height } = info.pages[page]?.size ?? info.pages[0].size;
      const region = { x: 0, y: 0, width: Math.min(width, 300), height: Math.min(height, 300) };
      const atLeast = { width: region.width / 5, height: region.height / 5 };
      const { image } = await decoder.read(reader, info, { page, region, atLeast }, plan, signal);
      // Errors that libvips finds only now are mapped as in the pipeline.
      await image
        .raw()
        .toBuffer()
        .catch((error: unknown) => Promise.reject(readingFailed(error, factsOf(info.format).name)));
    }
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    expect(error.failure).toBe("unreadable");
    return "refused";
  } finally {
    expect(reader.complaints).toEqual([]);
  }
  return "read";
};

/** How files are corrupted. */
export interface Damaging {
  readonly count: number;
  readonly seed: number;
  /** Corrects what would make any corruption be rejected at once, such as checksums. */
  readonly mend?: (bytes: Uint8Array) => Uint8Array;
}

/** Uses so many corrupted files, made from intact ones; returns how often each outcome occurred. */
export const useDamaged = async (
  decoder: Decoder,
  originals: readonly Uint8Array[],
  { count, seed, mend = (bytes) => bytes }: Damaging,
): Promise<{ readonly read: number; readonly refused: number }> => {
  const numbers = random(seed);
  const outcomes = { read: 0, refused: 0 };
  for (const original of originals) expect(await use(decoder, original)).toBe("read");
  for (let round = 0; round < count; round++) {
    const original = originals[round % originals.length] ?? new Uint8Array(0);
    outcomes[await use(decoder, mend(mutate(original, numbers)))]++;
  }
  return outcomes;
};
