import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { plan } from "../../../test/plans.ts";
import { type Random, random } from "../../../test/random.ts";
import { strictReader } from "../../../test/strict-reader.ts";
import { Config } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import { complete } from "../../core/steps.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createTiffDecoder } from "./decoder.ts";
import type { Directory } from "./structure/directory.ts";
import { readTiff } from "./structure/walk.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const mutations = amount(10_000);

const strict = (bytes: Uint8Array) => strictReader(bytes, { maxReads: 2_000, mayReachOver: true });

interface Subject {
  readonly bytes: Uint8Array;
  /** Where the structure is, rather than pixels. */
  readonly places: readonly number[];
}

const subject = async (bytes: Uint8Array): Promise<Subject> => {
  const { directories, big } = await complete(readTiff(bytes.length), strict(bytes), signal);
  const size = big ? 20 : 12;
  const spans = (directory: Directory): [number, number][] => [
    [directory.at, (directory.entries.size + 4) * size],
    ...[...directory.entries.values()].map(({ at, count }): [number, number] => [
      at,
      Math.min(count * 8, 64),
    ]),
    ...directory.children.flatMap(spans),
  ];
  const places = new Set(Array.from({ length: 16 }, (_, at) => at));
  for (const [from, length] of directories.flatMap(spans))
    for (let at = from; at < Math.min(from + length, bytes.length); at++) places.add(at);
  return { bytes, places: [...places] };
};

const mutate = ({ bytes, places }: Subject, { whole, one }: Random): Uint8Array => {
  const isCut = whole(1, 20) === 1;
  const copy = bytes.slice(0, isCut ? whole(0, bytes.length) : bytes.length);
  for (let change = whole(1, 4); change > 0; change--) {
    const at = places[whole(0, places.length - 1)] ?? 0;
    if (at < copy.length) copy[at] = one([whole(0, 255), 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]);
  }
  return copy;
};

let subjects: readonly Subject[];
beforeAll(async () => {
  const data = Buffer.alloc(150 * 140 * 3).map((_, at) => (at * 7) & 255);
  const drawn = sharp(data, { raw: { width: 150, height: 140, channels: 3 } });
  const tiles = { tile: true, tileWidth: 32, tileHeight: 32, pyramid: true } as const;
  subjects = await Promise.all(
    [
      drawn.clone().tiff({ ...tiles, compression: "jpeg" }),
      drawn.clone().tiff({ ...tiles, compression: "lzw", bigtiff: true }),
      drawn
        .clone()
        .withIccProfile("p3")
        .tiff({ ...tiles, compression: "deflate" }),
      drawn.clone().tiff({ compression: "none" }),
    ].map(async (image) => subject(Uint8Array.from(await image.toBuffer()))),
  );
});

/** Uses a file in every way; returns the outcome. */
const use = async (bytes: Uint8Array): Promise<"read" | "refused"> => {
  const reader = strict(bytes);
  const decoder = createTiffDecoder(settings);
  try {
    const info = await decoder.info(reader, signal);
    for (const [page, { levels, size }] of info.pages.entries()) {
      for (const [level, { tile }] of levels.entries()) {
        const part = { page, level, region: { x: 0, y: 0, ...tile }, profiled: true };
        const stored = decoder.stored?.(reader, info, part, "jpg");
        if (stored) await complete(stored, reader, signal);
      }
      const region = { x: 0, y: 0, width: Math.min(size.width, 8), height: 1 };
      await decoder.read(reader, info, { page, region, atLeast: region }, plan, signal);
      if (page > 8) break;
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

test(`${mutations} TIFFs with corrupt directories are read or rejected, without reading past the end`, {
  timeout: 300_000,
}, async () => {
  const numbers = random(20_240_229);
  const outcomes = { read: 0, refused: 0 };
  for (let round = 0; round < mutations; round++) {
    const original = subjects[round % subjects.length];
    if (original === undefined) throw new Error("Expected a file.");
    outcomes[await use(mutate(original, numbers))]++;
  }
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.read).toBeGreaterThan(mutations / 10);
  expect(outcomes.refused).toBeGreaterThan(mutations / 10);
});
