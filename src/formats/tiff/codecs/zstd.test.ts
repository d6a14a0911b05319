import zlib from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { amount } from "../../../../test/amount.ts";
import { bytesOfKind, kindsOfBytes } from "../../../../test/packed/bytes.ts";
import { damage } from "../../../../test/packed/damage.ts";
import { packedOf, plainOf, zstdExamples } from "../../../../test/packed/examples.ts";
import { runGuarded } from "../../../../test/packed/guarded.ts";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { newKernel } from "../../wasm/tile-kernel.ts";

const kernel = newKernel(await compileWasm("tiles"));

const unzstd = (packed: Uint8Array, max: number, before?: number): Buffer | undefined =>
  runGuarded(kernel, "unzstd", packed, max, before);

describe("Zstandard examples", () => {
  test.each(zstdExamples)("decompress: $name", async (example) => {
    const [packed, plain] = [await packedOf(example), plainOf(example)];
    for (const before of [0, 0xff])
      expect(unzstd(packed, plain.length, before)?.equals(plain)).toBe(true);
    expect(unzstd(packed, plain.length + 1_000)?.equals(plain)).toBe(true);
    if (plain.length > 0) expect(unzstd(packed, plain.length - 1)).toBeUndefined();
  });

  test.each(zstdExamples)("are rejected when truncated within a frame: $name", async (example) => {
    const [packed, plain] = [await packedOf(example), plainOf(example)];
    const frames = example.isTwofold ? (packed.length - 11) / 2 : packed.length;
    const whole = new Set([frames, frames + 11, packed.length]);
    for (let length = 0; length < packed.length; length += length < 200 ? 1 : 37) {
      const cut = unzstd(packed.subarray(0, length), plain.length, 0xff);
      expect(cut !== undefined, `${length} bytes`).toBe(whole.has(length));
    }
  });

  test("are rejected for a wrong checksum, a dictionary or a reserved bit", async () => {
    for (const example of zstdExamples.filter(({ name }) => name === "checked.zst")) {
      const packed = await packedOf(example);
      for (const [at, bit] of [
        [packed.length - 1, 7],
        [packed.length - 4, 0],
        [4, 0],
        [4, 3],
      ] as const) {
        const wrong = packed.slice();
        wrong[at] = (wrong[at] ?? 0) ^ (1 << bit);
        expect(unzstd(wrong, example.length), `byte ${at}`).toBeUndefined();
      }
    }
  });

  test.each(zstdExamples)(
    "do not affect later decompression when corrupt: $name",
    async (example) => {
      const [packed, plain] = [await packedOf(example), plainOf(example)];
      const dice = random(4);
      for (let round = 0; round < amount(1_000); round++)
        unzstd(damage(packed, dice), plain.length, dice.whole(0, 255));
      expect(unzstd(packed, plain.length)?.equals(plain)).toBe(true);
    },
  );
});

type Compress = (bytes: Uint8Array, options: { readonly params: object }) => Uint8Array;
type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Functions of node:zlib since Node.js 22.15. */
const own = {
  compress: Reflect.get(zlib, "zstdCompressSync") as Compress | undefined,
  decompress: Reflect.get(zlib, "zstdDecompressSync") as Decompress | undefined,
};

const { compress, decompress } = own;
const skipped =
  compress && decompress ? "" : " (skipped: this Node.js has no Zstandard; from 22.15 on it has)";

const constant = (name: string): number => Number(Reflect.get(zlib.constants, `ZSTD_c_${name}`));

const anyParameters = ({ whole, one }: Random): Readonly<Record<number, number>> => ({
  [constant("compressionLevel")]: whole(-3, 19),
  [constant("checksumFlag")]: one([0, 0, 0, 1]),
  [constant("contentSizeFlag")]: one([0, 1]),
  ...(whole(0, 2) === 0 && { [constant("windowLog")]: whole(10, 17) }),
  ...(whole(0, 2) === 0 && { [constant("minMatch")]: whole(3, 7) }),
  ...(whole(0, 2) === 0 && { [constant("strategy")]: whole(1, 9) }),
});

describe.skipIf(!compress || !decompress)(`Zstandard compressed by Node.js${skipped}`, () => {
  it("decompresses to the original data for any parameters", () => {
    if (!compress) return;
    const dice = random(5);
    for (let round = 0; round < amount(1_500); round++) {
      const length = round % 50 === 0 ? dice.whole(0, 600_000) : dice.whole(0, 20_000);
      const plain = bytesOfKind(dice.one(kindsOfBytes), length, round);
      const params = anyParameters(dice);
      const unpacked = unzstd(compress(plain, { params }), length, dice.whole(0, 255));
      expect(unpacked?.equals(plain), `round ${round}: ${JSON.stringify(params)}`).toBe(true);
    }
  });

  it("decompresses as in Node.js when corrupt, or is rejected", () => {
    if (!compress || !decompress) return;
    const dice = random(6);
    const count = { refused: 0, undone: 0 };
    for (let round = 0; round < amount(10_000); round++) {
      const plain = bytesOfKind(dice.one(kindsOfBytes), dice.whole(1, 3_000), round);
      const packed = damage(compress(plain, { params: anyParameters(dice) }), dice);
      const max = plain.length + dice.whole(0, 300);
      const found = unzstd(packed, max, dice.whole(0, 255));
      count[found ? "undone" : "refused"]++;
      // Node.js accepts a truncated stream, and one whose literals are not used up; RFC 8878
      // (4.2.2) does not.
      if (found === undefined) continue;
      const wanted = decompress(packed, { maxOutputLength: max });
      expect(found.equals(wanted), `round ${round}`).toBe(true);
    }
    expect(Math.min(count.refused, count.undone)).toBeGreaterThan(amount(10_000) / 10);
  });
});
