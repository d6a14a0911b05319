import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { amount } from "../../../../test/amount.ts";
import { bytesOfKind, kindsOfBytes } from "../../../../test/packed/bytes.ts";
import { damage, outcome } from "../../../../test/packed/damage.ts";
import { runGuarded } from "../../../../test/packed/guarded.ts";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { newKernel } from "../../wasm/tile-kernel.ts";

const kernel = newKernel(await compileWasm("tiles"));

const inflate = (packed: Uint8Array, max: number, before?: number): Buffer | undefined =>
  runGuarded(kernel, "inflate", packed, max, before);

/** zlib's result; undefined where it rejects the data. */
const byZlib = (packed: Uint8Array, max: number): Buffer | undefined =>
  outcome(() => zlib.inflateSync(packed, { maxOutputLength: Math.max(1, max) }));

const adler = (bytes: Uint8Array): number => {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
};

/** A zlib stream with the given blocks and the checksum of zlib's result, if it has one. */
const wrapped = (blocks: Uint8Array): Buffer => {
  const head = Uint8Array.of(0x78, 0x9c);
  try {
    // With `info`, zlib reports where the last block ended.
    const { buffer, engine } = zlib.inflateRawSync(blocks, { info: true }) as unknown as Inflated;
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(adler(buffer));
    return Buffer.concat([head, blocks.subarray(0, engine.bytesWritten), sum]);
  } catch {
    return Buffer.concat([head, blocks, Buffer.alloc(12)]);
  }
};

interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/** Writes numbers bit by bit, as RFC 1951 packs them. */
const bits = (...fields: readonly (readonly [value: number, count: number])[]): Buffer => {
  const all = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, bit) => (value >> bit) & 1),
  );
  const out = Buffer.alloc(Math.ceil(all.length / 8));
  for (const [at, bit] of all.entries()) out[at >> 3] = (out[at >> 3] ?? 0) | (bit << (at & 7));
  return out;
};

const anySettings = ({ whole }: Random): zlib.ZlibOptions => ({
  level: whole(0, 9),
  strategy: whole(0, 4),
  memLevel: whole(1, 9),
  windowBits: whole(9, 15),
});

describe("zlib streams", () => {
  test("decompress to the original data for any zlib settings", () => {
    const dice = random(1);
    for (let round = 0; round < amount(2_000); round++) {
      const length = round < 40 ? round : dice.whole(0, round % 40 === 0 ? 300_000 : 20_000);
      const plain = bytesOfKind(dice.one(kindsOfBytes), length, round);
      const settings = anySettings(dice);
      const packed = zlib.deflateSync(plain, settings);
      const before = dice.whole(0, 255);
      const unpacked = inflate(packed, length, before);
      expect(unpacked?.equals(plain), `round ${round}: ${JSON.stringify(settings)}`).toBe(true);
      if (length > 0) expect(inflate(packed, length - 1, before)).toBeUndefined();
    }
  });

  test("may be followed by other data", () => {
    const plain = bytesOfKind("skewed", 5_000);
    const packed = Buffer.concat([zlib.deflateSync(plain), bytesOfKind("noise", 100)]);
    expect(inflate(packed, 5_000)?.equals(plain)).toBe(true);
  });

  test("are rejected when truncated anywhere", () => {
    for (const level of [0, 1, 9]) {
      const packed = zlib.deflateSync(bytesOfKind("near", 700), { level });
      for (let length = 0; length < packed.length; length++)
        expect(inflate(packed.subarray(0, length), 700, 0xff), `${length} bytes`).toBeUndefined();
    }
  });

  test("are rejected for a wrong checksum bit", () => {
    const packed = zlib.deflateSync(bytesOfKind("few", 3_000));
    for (let bit = 0; bit < 32; bit++) {
      const wrong = Buffer.from(packed);
      const at = wrong.length - 1 - (bit >> 3);
      wrong[at] = (wrong[at] ?? 0) ^ (1 << (bit & 7));
      expect(inflate(wrong, 3_000)).toBeUndefined();
    }
  });

  test("are rejected for exactly the headers that zlib rejects", () => {
    const packed = zlib.deflateSync(bytesOfKind("few", 100));
    for (let first = 0; first < 256; first++)
      for (let flags = 0; flags < 256; flags += 32)
        for (const wrong of [0, 1]) {
          const head = (first << 8) | flags;
          packed.writeUInt16BE(head + ((31 - (head % 31)) % 31) + wrong);
          const wanted = byZlib(packed, 100);
          expect(inflate(packed, 100)?.length, head.toString(16)).toBe(wanted?.length);
        }
  });
});

describe("corrupt zlib streams", () => {
  test("are decompressed or rejected exactly as by zlib", () => {
    const dice = random(2);
    const count = { refused: 0, undone: 0 };
    for (let round = 0; round < amount(20_000); round++) {
      const plain = bytesOfKind(dice.one(kindsOfBytes), dice.whole(1, 3_000), round);
      const settings = anySettings(dice);
      // With a wrong checksum, differences in decoding blocks would go unnoticed.
      const isMended = round % 4 !== 0;
      const packed = isMended
        ? wrapped(damage(zlib.deflateRawSync(plain, settings), dice))
        : damage(zlib.deflateSync(plain, settings), dice);
      const max = plain.length + dice.whole(0, 300);
      const found = inflate(packed, max, dice.whole(0, 255));
      const wanted = byZlib(packed, max);
      count[wanted ? "undone" : "refused"]++;
      expect(found?.toString("hex"), `round ${round}`).toBe(wanted?.toString("hex"));
    }
    expect(Math.min(count.refused, count.undone)).toBeGreaterThan(amount(20_000) / 8);
  });

  test("do not affect later streams", () => {
    const dice = random(3);
    const plain = bytesOfKind("differences", 4_000);
    const packed = zlib.deflateSync(plain);
    for (let round = 0; round < 200; round++) {
      inflate(damage(packed, dice), 4_000);
      expect(inflate(packed, 4_000)?.equals(plain)).toBe(true);
    }
  });
});

describe("blocks that no encoder writes", () => {
  /** A block with code lengths (19, in the order of the RFC) and the given data. */
  const dynamic = (
    [literals, distances]: readonly [number, number],
    lengths: readonly number[],
    ...more: readonly (readonly [number, number])[]
  ): Buffer =>
    bits(
      [1, 1],
      [2, 2],
      [literals - 257, 5],
      [distances - 1, 5],
      [lengths.length - 4, 4],
      ...lengths.map((length) => [length, 3] as const),
      ...more,
    );

  // In the order 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1: 18 in one bit; 0, 1
  // and 2 in two.
  const some = [0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 2];
  const run = (count: number): readonly (readonly [number, number])[] => [
    [0, 1],
    [count - 11, 7],
  ];
  const [one, none, two] = [[0b01, 2] as const, [0b011, 3] as const, [0b111, 3] as const];

  const all = [
    ["is empty and of fixed codes", bits([1, 1], [1, 2], [0, 7]), true],
    ["is of a kind that there is not", bits([1, 1], [3, 2], [0, 7]), false],
    ["has a literal that there is not", bits([1, 1], [1, 2], [0b01100011, 8], [0, 7]), false],
    [
      "goes back further than there is anything",
      bits([1, 1], [1, 2], [0b00001100, 8], [0b1000000, 7], [0b00001, 5], [0, 7]),
      false,
    ],
    [
      "has a distance that there is not",
      bits([1, 1], [1, 2], [0b00001100, 8], [0b1000000, 7], [0b01111, 5], [0, 7]),
      false,
    ],
    [
      "has the end of it as its only code",
      dynamic([257, 1], some, ...run(138), ...run(118), one, none, [0, 1]),
      true,
    ],
    [
      "uses the other half of an only code",
      dynamic([257, 1], some, ...run(138), ...run(118), one, none, [1, 1]),
      false,
    ],
    ["has no code for its end", dynamic([257, 1], some, ...run(138), ...run(119), one), false],
    [
      "has an only code of two bits",
      dynamic([257, 1], some, ...run(138), ...run(118), two, none, [0, 2]),
      false,
    ],
    [
      "has more codes than fit",
      dynamic([257, 1], some, one, one, one, ...run(138), ...run(115), one, none, [0, 1]),
      false,
    ],
    [
      "has a run of lengths that goes on behind the last",
      dynamic([257, 1], some, ...run(138), ...run(138)),
      false,
    ],
    ["repeats a length before the first", dynamic([257, 1], [1, 1], [0, 1], [0, 2]), false],
    ["has too many literals", dynamic([287, 1], some, ...run(138), ...run(118), one), false],
    ["has too many distances", dynamic([257, 31], some, ...run(138), ...run(118), one), false],
    ["has lengths without a code", dynamic([257, 1], [0, 0, 0, 0]), false],
    ["is stored, with a length that is not confirmed", Buffer.of(1, 1, 0, 0xff, 0xff, 7), false],
  ] as const;

  test.each(all)("match zlib when a block %s", (_, blocks, isTaken) => {
    const packed = wrapped(blocks);
    const wanted = byZlib(packed, 1_000);
    expect(wanted !== undefined).toBe(isTaken);
    expect(inflate(packed, 1_000)?.toString("hex")).toBe(wanted?.toString("hex"));
  });
});
