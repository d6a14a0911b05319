import { spawnSync } from "node:child_process";
import { describe, expect, it, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { bytesOfKind, kindsOfBytes } from "../../../test/packed/bytes.ts";
import { damage, outcome } from "../../../test/packed/damage.ts";
import { packedOf, plainOf, xzExamples } from "../../../test/packed/examples.ts";
import { runGuarded } from "../../../test/packed/guarded.ts";
import { type Random, random } from "../../../test/random.ts";
import { compileWasm } from "../../core/wasm.ts";
import { newKernel } from "./tile-kernel.ts";
import { unxz } from "./xz.ts";

const kernel = newKernel(await compileWasm("tiles"));

const undone = (packed: Uint8Array, max: number): Buffer | undefined =>
  outcome(() => unxz(kernel, packed, max));

/** More room than a chunk of LZMA2 can fill: with less, the end would not be examined. */
const plenty = 2_200_000;

/** All numbers up to a length near its ends, where headers are, and some between. */
const placesIn = (length: number): readonly number[] =>
  Array.from({ length }, (_, at) => at).filter(
    (at) => at < 60 || at >= length - 60 || at % (1 + (length >> 7)) === 0,
  );

describe("XZ examples", () => {
  test.each(xzExamples)("decompress: $name", async (example) => {
    const [packed, plain] = [await packedOf(example), plainOf(example)];
    expect(undone(packed, plain.length)?.equals(plain)).toBe(true);
    expect(undone(packed, plain.length + 1_000)?.equals(plain)).toBe(true);
  });

  test.each(xzExamples)("decompress up to the space available: $name", async (example) => {
    const [packed, plain] = [await packedOf(example), plainOf(example)];
    for (const max of [0, 1, 999, 1_000, 1_001, 70_000].filter((max) => max < plain.length))
      expect(undone(packed, max)?.equals(plain.subarray(0, max)), `${max} bytes`).toBe(true);
  });

  test.each(xzExamples)("are rejected when truncated anywhere: $name", async (example) => {
    const [packed, { length }] = [await packedOf(example), plainOf(example)];
    for (const bytes of placesIn(packed.length))
      expect(undone(packed.subarray(0, bytes), length + plenty), `${bytes} bytes`).toBeUndefined();
  });

  test.each(xzExamples.filter(({ options }) => !options.includes("--check=none")))(
    "are rejected for any wrong byte: $name",
    async (example) => {
      const [packed, { length }] = [await packedOf(example), plainOf(example)];
      const dice = random(7);
      for (const at of placesIn(packed.length)) {
        const wrong = packed.slice();
        wrong[at] = (wrong[at] ?? 0) ^ dice.whole(1, 255);
        expect(undone(wrong, length + plenty), `byte ${at}`).toBeUndefined();
      }
    },
  );

  test("are rejected for an unsupported filter, whose number is reported", async () => {
    const example = xzExamples.find(({ name }) => name === "delta.xz");
    if (example === undefined) throw new Error("Expected an example with a delta filter.");
    const packed = await packedOf(example);
    // The filter's id follows the size and the flags of the block; its checksum is corrected.
    packed[14] = 4;
    const { crc32 } = await import("node:zlib");
    const size = (packed[12] ?? 0) * 4;
    const view = new DataView(packed.buffer, packed.byteOffset);
    view.setUint32(12 + size, crc32(packed.subarray(12, 12 + size)), true);
    expect(() => unxz(kernel, packed, 3_000)).toThrow("filter 4");
  });
});

test("corrupt LZMA2 does not affect later decompression", async () => {
  for (const example of xzExamples) {
    const [packed, plain] = [await packedOf(example), plainOf(example)];
    const dice = random(8);
    // After the headers of the stream and of the block.
    const start = 12 + 4 * ((packed[12] ?? 0) + 1);
    const data = packed.subarray(start);
    for (let round = 0; round < amount(500); round++)
      runGuarded(kernel, "unlzma2", damage(data, dice), plain.length, dice.whole(0, 255));
    expect(undone(packed, plain.length)?.equals(plain)).toBe(true);
  }
});

const hasXz = spawnSync("xz", ["--version"]).status === 0;
const skipped = hasXz ? "" : " (skipped: the program xz is not installed)";

const byXz = (options: readonly string[], input: Uint8Array): Buffer | undefined => {
  const { status, stdout } = spawnSync("xz", [...options, "--stdout"], { input });
  return status === 0 ? stdout : undefined;
};

const anyOptions = ({ whole, one }: Random): string[] => {
  const literal = whole(0, 4);
  const lzma2 = `--lzma2=preset=${whole(0, 9)},lc=${literal},lp=${whole(0, 4 - literal)},pb=${whole(0, 4)}`;
  return [
    `--check=${one(["none", "none", "crc32", "crc64", "sha256"])}`,
    ...(whole(0, 2) === 0 ? [`--delta=dist=${whole(1, 256)}`] : []),
    ...(whole(0, 2) === 0 ? [`--block-size=${whole(500, 3_000)}`] : []),
    lzma2,
  ];
};

describe.skipIf(!hasXz)(`XZ compressed by the xz program${skipped}`, () => {
  it("decompresses to the original data, and to the same as xz when corrupt", () => {
    const dice = random(9);
    for (let round = 0; round < amount(300); round++) {
      const plain = bytesOfKind(dice.one(kindsOfBytes), dice.whole(0, 5_000), round);
      const options = anyOptions(dice);
      const packed = byXz(options, plain) ?? new Uint8Array(0);
      expect(undone(packed, plain.length)?.equals(plain), options.join(" ")).toBe(true);
      const damaged = damage(packed, dice);
      const wanted = byXz(["--decompress", "--single-stream"], damaged);
      const found = undone(damaged, plenty);
      expect(found?.toString("hex"), `round ${round}: ${options.join(" ")}`).toBe(
        wanted?.toString("hex"),
      );
    }
  });
});
