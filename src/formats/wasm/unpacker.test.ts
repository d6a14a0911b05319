import zlib from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { unlzw } from "../../../test/lzw.ts";
import { packedOf, plainOf, xzExamples, zstdExamples } from "../../../test/packed/examples.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { complete } from "../../core/steps.ts";
import { compileWasm } from "../../core/wasm.ts";
import { kernelUnpackers } from "../tiff/codecs/kernel-unpackers.ts";
import { fillTiles, storedTiles } from "../tiff/read/tiles.ts";
import { readPages } from "../tiff/structure/pages.ts";
import { compressions } from "../tiff/structure/tags.ts";
import { readTiff } from "../tiff/structure/walk.ts";
import type { Unpacked, Unpacker } from "./unpacker.ts";

const signal = new AbortController().signal;
const { unpackers, room } = kernelUnpackers(await compileWasm("tiles"));

const unpackerOf = (compression: keyof typeof compressions): Unpacker => {
  const unpacker = unpackers.get(compressions[compression]);
  if (unpacker === undefined) throw new Error(`Expected an unpacker for ${compression}.`);
  return unpacker;
};

const [inflating, unlzwFast] = [unpackerOf("deflate"), unpackerOf("lzw")];

/** Runs, ramps and noise, one after the other. */
const pattern = (length: number): Uint8Array => {
  let state = 12_345;
  return Uint8Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (at % 97 < 40 ? at >> 4 : state >>> 28) + (at % 3) * 2;
  });
};

const size = { width: 64, height: 48 };
const picture = sharp(pattern(size.width * size.height * 3), {
  raw: { ...size, channels: 3 },
}).blur(1);

const copy = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);

/** A tile that libtiff compressed by LZW. */
const lzwTile = async (): Promise<Uint8Array> => {
  const bytes = await picture
    .clone()
    .tiff({ compression: "lzw", predictor: "none", tile: true, tileWidth: 64, tileHeight: 48 })
    .toBuffer();
  function* read() {
    const file = yield* readTiff(bytes.length);
    const [level] = (yield* readPages(file))[0];
    const area = { x: 0, y: 0, ...size };
    return yield* fillTiles(file, yield* storedTiles(file, level, area));
  }
  const [tile] = await complete(read(), memoryReader(bytes), signal);
  if (tile === undefined) throw new Error("Expected a tile.");
  return tile;
};

describe("LZW", () => {
  test("decompresses like the reference implementation", async () => {
    const packed = await lzwTile();
    const length = size.width * size.height * 3;
    const unpacked = unlzwFast.unpack(packed, { max: length });
    expect(unpacked).toHaveLength(length);
    expect(Buffer.from(unpacked).equals(unlzw(packed, length))).toBe(true);
  });
});

describe("zlib streams", () => {
  test("are decompressed under both TIFF compression numbers", () => {
    for (const unpacker of [inflating, unpackerOf("oldDeflate")])
      for (const length of [0, 1, 3_000, 1_000_000]) {
        const wanted = pattern(length);
        const unpacked = unpacker.unpack(zlib.deflateSync(wanted), { max: length });
        expect(Buffer.from(unpacked).equals(wanted)).toBe(true);
      }
  });

  test("are rejected when longer than allowed or with a wrong checksum", () => {
    const packed = zlib.deflateSync(pattern(5_000));
    expect(() => inflating.unpack(packed, { max: 4_999 })).toThrow("damaged");
    packed[packed.length - 1] = (packed.at(-1) ?? 0) ^ 1;
    expect(() => inflating.unpack(packed, { max: 5_000 })).toThrow("damaged");
  });

  test("are rejected when the output could not fit in memory", () => {
    const packed = zlib.deflateSync(pattern(100));
    expect(() => inflating.unpack(packed, { max: 2 ** 31 })).toThrow("no memory");
    expect(inflating.unpack(packed, { max: 100 })).toHaveLength(100);
  });
});

describe("input in the kernel's own memory", () => {
  test("is decompressed correctly, even when memory grows meanwhile", async () => {
    const [xz] = xzExamples.filter(({ name }) => name === "blocks.xz");
    if (xz === undefined) throw new Error("Expected an example.");
    const subjects = [
      ["none", pattern(3_000), pattern(3_000)],
      ["deflate", zlib.deflateSync(new Uint8Array(2_000_000)), new Uint8Array(2_000_000)],
      ["deflate", zlib.deflateSync(new Uint8Array(7_000_000)), new Uint8Array(7_000_000)],
      ["lzma", await packedOf(xz), plainOf(xz)],
    ] as const;
    for (const [compression, packed, wanted] of subjects) {
      const own = room(packed.length);
      own.set(packed);
      const unpacked = unpackerOf(compression).unpack(own, { max: wanted.length });
      expect(Buffer.compare(unpacked, wanted)).toBe(0);
    }
  });
});

describe.each([
  ["Zstandard", "zstd", zstdExamples.filter(({ name }) => name === "near.zst")],
  ["XZ", "lzma", xzExamples.filter(({ name }) => name === "runs.xz")],
] as const)("%s", (_, compression, [example]) => {
  test("is decompressed, and rejected when damaged", async () => {
    if (example === undefined) throw new Error("Expected an example.");
    const packed = await packedOf(example);
    const unpacker = unpackerOf(compression);
    const unpacked = unpacker.unpack(packed, { max: example.length });
    expect(Buffer.from(unpacked).equals(plainOf(example))).toBe(true);
    expect(() => unpacker.unpack(packed.subarray(9), { max: example.length })).toThrow();
  });
});

describe("horizontal differencing", () => {
  const undo = (
    stored: Uint8Array,
    differences: Unpacked["differences"],
  ): readonly Uint8Array[] => [
    copy(inflating.unpack(zlib.deflateSync(stored), { max: stored.length, differences })),
    copy(unpackerOf("none").unpack(stored, { max: stored.length, differences })),
  ];

  const plainly = (stored: Uint8Array, width: number, samples: 1 | 3): Uint8Array => {
    const out = copy(stored);
    for (let at = 0; at < out.length; at++)
      if (at % (width * samples) >= samples) out[at] = (out[at] ?? 0) + (out[at - samples] ?? 0);
    return out;
  };

  test("is reversed in rows of any length", () => {
    for (const samples of [1, 3] as const)
      for (let width = 1; width <= 70; width++) {
        const stored = pattern(width * samples * 3);
        const rows = [0, 3] as const;
        for (const undone of undo(stored, { width, samples, rows }))
          expect(undone, `${width} x ${samples}`).toEqual(plainly(stored, width, samples));
      }
  });

  test("is reversed only in the requested rows", () => {
    const stored = pattern(20 * 3 * 4);
    const wanted = plainly(stored, 20, 3);
    for (const undone of undo(stored, { width: 20, samples: 3, rows: [1, 3] })) {
      expect(undone.subarray(60, 180)).toEqual(wanted.subarray(60, 180));
      expect(undone.subarray(180)).toEqual(stored.subarray(180));
    }
  });

  test("of incomplete rows is rejected", () => {
    const differences = { width: 20, samples: 3, rows: [0, 4] } as const;
    expect(() => undo(pattern(239), differences)).toThrow("239 of 240");
  });
});

const max = size.width * size.height * 3;

const mutated = (bytes: Uint8Array, seed: number): Uint8Array => {
  const dice = random(seed);
  const out = copy(bytes);
  for (let count = dice.whole(0, 8); count > 0; count--)
    out[dice.whole(0, out.length - 1)] = dice.whole(0, 255);
  return dice.whole(0, 2) === 0 ? out.subarray(0, dice.whole(0, out.length)) : out;
};

const outcome = (work: () => Uint8Array): Buffer | string => {
  try {
    return Buffer.from(work());
  } catch (error) {
    return error instanceof Error ? error.message : "thrown";
  }
};

/**
 * Of very many possible damages, some are rejected, and afterwards the original is decoded as
 * before.
 */
const expectHarmless = async (
  unpacker: Unpacker,
  whole: Uint8Array,
  wanted: Unpacked,
): Promise<void> => {
  const before = Buffer.from(unpacker.unpack(whole, wanted));
  let refused = 0;
  for (let seed = 1; seed <= amount(2_000); seed++) {
    const found = outcome(() => unpacker.unpack(mutated(whole, seed), wanted));
    if (typeof found === "string") refused++;
    else expect(found.length).toBeLessThanOrEqual(wanted.max);
  }
  expect(refused).toBeGreaterThan(100);
  expect(Buffer.from(unpacker.unpack(whole, wanted)).equals(before)).toBe(true);
};

describe("corrupt LZW", () => {
  test("is decompressed or rejected without affecting later data", async () => {
    await expectHarmless(unlzwFast, await lzwTile(), { max });
  });

  test("gives the same result as the reference implementation", async () => {
    const whole = await lzwTile();
    for (let seed = 1; seed <= amount(2_000); seed++) {
      const packed = mutated(whole, seed);
      const found = outcome(() => unlzwFast.unpack(packed, { max }));
      const wanted = outcome(() => unlzw(packed, max));
      const isSame =
        typeof found === "string" || typeof wanted === "string"
          ? found === wanted
          : found.equals(wanted);
      expect(isSame, `seed ${seed}`).toBe(true);
    }
  });
});
