import { describe, expect, it } from "vitest";
import {
  type BlockComponent,
  type BlockJpeg,
  type Blocks,
  encodeBlocks,
  randomBlocks,
} from "../../../test/jpeg-blocks.ts";
import { random } from "../../../test/random.ts";
import { loadKernel } from "../../core/wasm.ts";
import { scanIn } from "../containers/index.ts";
import { type Taps, unit } from "../shared/scaling-weights.ts";
import type { JpegKernel } from "./kernel.ts";
import { layoutOf, type ReducedImage } from "./layout.ts";
import { reduceJpeg } from "./reduce.ts";

const kernel = await loadKernel<JpegKernel>("jpeg");

const flat = Array.from({ length: 64 }, () => 3);
const rising = Array.from({ length: 64 }, (_, n) => 2 + n);
const steep = Array.from({ length: 64 }, (_, n) => 1 + n * 9);

const component = (h: number, v: number, quantisation = flat): BlockComponent => ({
  ...{ h, v, quantisation },
});

/** Reads a JPEG reduced; the pixels, row after row. */
const reduced = (bytes: Uint8Array, jpeg: BlockJpeg, wanted: ReducedImage): Uint8Array => {
  const scan = scanIn(bytes, jpeg);
  if (scan === undefined) throw new Error("Expected a scan.");
  const { width, height } = wanted.size;
  const stride = width * jpeg.components.length;
  const pixels = new Uint8Array(stride * height);
  let at = scan.start;
  const supply = (to: Uint8Array): number => {
    const part = bytes.subarray(at, at + to.length);
    to.set(part);
    at += part.length;
    return part.length;
  };
  reduceJpeg(kernel, { scan, supply, put: (row, line) => pixels.set(line, row * stride) }, wanted);
  return pixels;
};

describe("a JPEG is reduced", () => {
  const sizes = [
    { width: 176, height: 96 },
    { width: 203, height: 117 },
  ];
  const kinds: readonly (readonly [string, readonly BlockComponent[], number])[] = [
    ["in grey", [component(1, 1, rising)], 0],
    ["in grey, of two blocks in a unit as it states", [component(2, 2)], 5],
    ["in 4:4:4", [component(1, 1, rising), component(1, 1), component(1, 1)], 0],
    ["in 4:2:0", [component(2, 2), component(1, 1, rising), component(1, 1)], 0],
    ["in 4:2:2 with restart markers", [component(2, 1), component(1, 1), component(1, 1)], 7],
    ["in 4:4:0 with restart markers", [component(1, 2), component(1, 1), component(1, 1)], 1],
    [
      "with a table of 16 bits",
      [component(2, 2, steep), component(1, 1, steep), component(2, 1)],
      0,
    ],
  ];
  const shrinks = [4, 4.7, 6, 8, 9.5, 16, 31];

  it.each(kinds)("%s", (_, components, restartInterval) => {
    for (const size of sizes) {
      const jpeg: BlockJpeg = { ...size, components, restartInterval };
      const blocks = randomBlocks(jpeg, random(size.width));
      const bytes = encodeBlocks(jpeg, blocks);
      for (const shrink of shrinks)
        for (const filter of ["bicubic", "box", "lanczos3"] as const) {
          const width = Math.ceil(size.width / shrink);
          const height = Math.ceil(size.height / shrink);
          const wanted = { size: { width, height }, filter };
          const found = reduced(bytes, jpeg, wanted);
          const expected = expectedOf(jpeg, blocks, wanted);
          const differences = found.map((value, at) => Math.abs(value - (expected[at] ?? 0)));
          expect(Math.max(...differences)).toBeLessThanOrEqual(2);
          expect(mean(differences)).toBeLessThan(0.2);
        }
    }
  });
});

describe("a damaged JPEG", () => {
  const jpeg: BlockJpeg = {
    ...{ width: 203, height: 117, restartInterval: 9 },
    components: [component(2, 1), component(1, 1), component(1, 1)],
  };
  const bytes = encodeBlocks(jpeg, randomBlocks(jpeg, random(3)));
  const wanted = { size: { width: 50, height: 29 }, filter: "bicubic" } as const;

  it("is rejected where it is cut off", () => {
    for (let length = bytes.length - 2; length > 400; length -= 397)
      expect(() => reduced(bytes.subarray(0, length), jpeg, wanted)).toThrow();
  });

  it("is rejected where a restart marker is missing", () => {
    const at = bytes.indexOf(Buffer.of(0xff, 0xd0), 300);
    const damaged = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 2)]);
    expect(() => reduced(damaged, jpeg, wanted)).toThrow();
  });

  it("harms nothing, whatever is wrong with it", () => {
    const dice = random(11);
    let rejected = 0;
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(bytes);
      for (let n = dice.whole(1, 8); n > 0; n--)
        damaged[dice.whole(2, damaged.length - 1)] = dice.whole(0, 255);
      if (scanIn(damaged, jpeg) === undefined) continue;
      try {
        expect(reduced(damaged, jpeg, wanted)).toHaveLength(50 * 29 * 3);
      } catch (error) {
        expect(String(error)).toMatch(/corrupt|does not end|RuntimeError/);
        rejected++;
      }
    }
    expect(rejected).toBeGreaterThan(200);
    // What came before has left nothing behind.
    const other = { width: 176, height: 96, restartInterval: 0, components: [component(1, 1)] };
    const blocks = randomBlocks(other, random(2));
    const small = { size: { width: 44, height: 24 }, filter: "bicubic" } as const;
    const found = reduced(encodeBlocks(other, blocks), other, small);
    const expected = expectedOf(other, blocks, small);
    expect(
      Math.max(...found.map((value, at) => Math.abs(value - (expected[at] ?? 0)))),
    ).toBeLessThan(3);
  });
});

const mean = (values: Uint8Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The reduced image, computed in floating point from the blocks. */
const expectedOf = (jpeg: BlockJpeg, blocks: Blocks, wanted: ReducedImage): Uint8Array => {
  const { width, height, components } = jpeg;
  const isSingle = components.length === 1;
  const scanned = components.map((one) => ({
    ...one,
    ...(isSingle && { h: 1, v: 1 }),
    ...{ dc: new Uint8Array(0), ac: new Uint8Array(0) },
  }));
  const size = { width, height };
  const layout = layoutOf({ size, components: scanned }, wanted);
  const planes = layout.planes.map(({ component: { quantisation }, across, down }, index) => {
    const rows = (blocks[index] ?? []).flatMap((row) =>
      numbers(down.side).map((y) =>
        row.flatMap((block) =>
          numbers(across.side).map((x) =>
            sampleOf(block, quantisation, [x, across.side], [y, down.side]),
          ),
        ),
      ),
    );
    const scaled = rows.map((row) => scaledBy(row, across.taps, wanted.size.width));
    const columns = numbers(wanted.size.width).map((x) =>
      scaledBy(
        scaled.map((row) => row[x] ?? 0),
        down.taps,
        wanted.size.height,
      ),
    );
    return numbers(wanted.size.height).map((y) => columns.map((column) => column[y] ?? 0));
  });
  const [luma = [], blue, red] = planes;
  return Uint8ClampedArray.from(
    luma.flatMap((row, y) =>
      row.flatMap((value, x) => {
        const [cb, cr] = [blue?.[y]?.[x] ?? 0, red?.[y]?.[x] ?? 0];
        const grey = value + 128;
        if (isSingle) return [grey];
        return [grey + 1.402 * cr, grey - 0.344136 * cb - 0.714136 * cr, grey + 1.772 * cb];
      }),
    ),
  ) as unknown as Uint8Array;
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const scaledBy = (samples: readonly number[], taps: Taps | undefined, count: number): number[] => {
  if (taps === undefined) return samples.slice(0, count);
  return numbers(count).map((n) =>
    numbers(taps.count).reduce((sum, tap) => {
      const weight = (taps.weights[n * taps.count + tap] ?? 0) / unit;
      return sum + weight * (samples[(taps.starts[n] ?? 0) + tap] ?? 0);
    }, 0),
  );
};

/** The mean of a sample's pixels (ITU-T T.81, A.3.3), of its 13 lowest frequencies at most. */
const sampleOf = (
  block: readonly number[],
  quantisation: ArrayLike<number>,
  [x, across]: readonly [number, number],
  [y, down]: readonly [number, number],
): number => {
  const part = (frequency: number, at: number, side: number): number => {
    if (frequency >= side) return 0;
    const covered = numbers(8 / side).map((n) => (at * 8) / side + n);
    const cosines = covered.map((pixel) => Math.cos(((2 * pixel + 1) * frequency * Math.PI) / 16));
    const scale = frequency === 0 ? Math.SQRT1_2 : 1;
    return (scale * cosines.reduce((sum, one) => sum + one, 0)) / covered.length / 2;
  };
  return order.reduce((sum, [v, u], index) => {
    const value = (block[index] ?? 0) * (quantisation[index] ?? 0);
    return sum + value * part(u, x, across) * part(v, y, down);
  }, 0);
};

/** Vertical and horizontal frequencies (ITU-T T.81, figure A.6). */
const order: readonly (readonly [number, number])[] = [
  ...([
    [0, 0],
    [0, 1],
    [1, 0],
    [2, 0],
    [1, 1],
    [0, 2],
    [0, 3],
  ] as const),
  ...([
    [1, 2],
    [2, 1],
    [3, 0],
    [4, 0],
    [3, 1],
    [2, 2],
  ] as const),
];
