import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { HtPicture } from "../../../../test/ht-codestream.ts";
import { type Coefficients, encodeCleanup } from "../../../../test/ht-encoder.ts";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { BandBlocks, storeJob } from "./band-blocks.ts";
import type { CodedSegment } from "./contract.ts";
import { expandCodewords } from "./ht-codewords.ts";
import { type BandJob, blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import { KernelRoom, newCodestreamKernel } from "./kernel.ts";

/** A block, and its bytes. */
interface TestBlock {
  readonly bytes: Uint8Array;
  readonly segments: readonly CodedSegment[];
  readonly width: number;
  readonly height: number;
  readonly magnitudeBits: number;
  readonly missing: number;
  readonly style: number;
}

/** A part of a block, in its coefficients. */
interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A whole block in halves, as it is cached in 32 bits. */
let decode: (block: TestBlock) => Int32Array;
/**
 * A part of a block in halves, or multiplied by a step; the row after it, and four columns beside,
 * are unchanged.
 */
let place: (block: TestBlock, part: Part, step?: number) => Int32Array | Float32Array;
/**
 * The CRC-32 of OpenJPEG 2.5.3's result for a test's image; 0 where it refused it, or where that
 * does not count.
 */
let recorded: (picture: number) => number;

/** A job of one block, of which so many bytes per coefficient are stored at `kept`. */
const jobOf = (
  { bytes, segments, width, height, missing }: TestBlock,
  { left, top }: Pick<Part, "left" | "top">,
  { cache, kept, size }: { readonly cache: SharedArrayBuffer; kept: number; size: 2 | 4 },
): WindowJob => {
  const blocks = new Int32Array(blockFields);
  const own = { x: -left, y: -top, width, height, missing, kept, size };
  for (const [name, value] of Object.entries({ ...own, count: segments.length }))
    blocks[blockField[name as keyof typeof blockField]] = value;
  blocks[blockField.length] = bytes.length;
  return {
    ...{ components: [], transformed: false, wanted: [], interleaved: false, bytes, blocks, cache },
    segments: Int32Array.from(segments.flatMap(({ length, passes }) => [length, passes])),
    left: new Int32Array(new SharedArrayBuffer(4)),
  };
};

beforeAll(async () => {
  const memory = new WebAssembly.Memory({ initial: 32, maximum: 32, shared: true });
  const kernel = newCodestreamKernel(await compileWasm("jpeg2000-shared"), memory);
  const room = new KernelRoom(kernel, kernel.base());
  const bands = new BandBlocks(room, true);
  const to = room.take(16_384 * 4);
  const kept = room.take(16_384);
  const { mark } = room;
  const buffer: ArrayBufferLike = memory.buffer;
  if (!(buffer instanceof SharedArrayBuffer)) throw new Error("Expected shared memory.");
  decode = (block) => {
    room.back(mark);
    const { width, height, magnitudeBits, style } = block;
    const stored = storeJob(
      room,
      jobOf(block, { left: 0, top: 0 }, { cache: buffer, kept, size: 4 }),
    );
    const form = { shift: 0, levels: [], precision: 8, signed: false, reversible: true };
    const component: ComponentJob = { ...form, style, width, height };
    const band: BandJob = { kind: 0, magnitudeBits, step: 1, width, height, blocks: [0, 1] };
    bands.fill(stored, component, band, { at: to, stride: width * 4 });
    return new Int32Array(buffer, kept, width * height).slice();
  };
  /** Places a part in a band that is larger by a row and four columns. */
  const placePart = (
    block: TestBlock,
    part: Part,
    { at, step }: { readonly at: number; readonly step?: number | undefined },
  ) => {
    room.back(mark);
    const job = jobOf(block, part, { cache: buffer, kept: at, size: 2 });
    const { blocks, bytes, segments } = storeJob(room, job);
    const stride = 4 * (part.width + 4);
    const { length } = new Int32Array(buffer, to, (part.width + 4) * (part.height + 1)).fill(
      untouched,
    );
    const rows = [to, stride, part.width, part.height] as const;
    const { magnitudeBits, style } = block;
    const form = [0, magnitudeBits, style, 0, step === undefined, (step ?? 0) / 2] as const;
    kernel.placeBlocks(blocks, 1, bytes, segments, ...rows, ...form);
    return step === undefined
      ? new Int32Array(buffer, to, length).slice()
      : new Float32Array(buffer, to, length).slice();
  };
  place = (block, part, step) => placePart(block, part, { at: -1, step });
  leave = (block, part) => {
    const answer = placePart(block, part, { at: kept });
    return [new Int16Array(buffer, kept, block.width * block.height).slice(), answer];
  };
  const sums = await readFile(new URL("../../../../test/ht-openjpeg.crc32", import.meta.url));
  recorded = (picture) => sums.readUInt32LE(4 * picture);
});

/** A whole block as 16-bit numbers, and the part of it that `place` places, which may be empty. */
let leave: (block: TestBlock, part: Part) => [Int16Array, Int32Array | Float32Array];

/**
 * Only 0 is the same in floating point as in integers: any other value here does not come from
 * blocks.
 */
const untouched = 0x7b_cd_ef_12;

const sizes: readonly (readonly [number, number])[] = [
  [64, 64],
  [32, 32],
  [64, 63],
  [63, 64],
  [1, 1],
  [1, 4],
  [4, 1],
  [5, 7],
  [2, 3],
  [17, 33],
  [1024, 4],
  [4, 1024],
  [1, 1024],
  [1021, 3],
  [256, 16],
];

/**
 * Blocks of each size that are compared with OpenJPEG's results; corrupt ones were recorded after
 * them.
 */
const refined = 12;

const sumOf = (values: readonly number[]): number => {
  const { buffer } = Int32Array.from(values);
  return crc32(new Uint8Array(buffer));
};

describe("HT code-blocks", () => {
  it.each(sizes)("of %i x %i round-trip at any bit plane", (width, height) => {
    const from = random(width * 1_031 + height);
    for (let round = 0; round < 12; round++) {
      const bits = from.one([11, 11, 14, 17, 24]);
      const block = coefficients(from, width, height, bits);
      const cleanup = encodeCleanup(block, from);
      const plane = from.whole(0, 30 - bits - 4);
      const decoded = decode(blockOf({ ...block, cleanup, plane }));
      const wanted = block.values.map(
        (value) => Math.sign(value) * ((2 * Math.abs(value) + 1) << plane),
      );
      expect(Array.from(decoded)).toEqual(Array.from(wanted));
    }
  });

  it.each(sizes)("of %i x %i are refined as by OpenJPEG", (width, height) => {
    const from = random(width * 2_053 + height);
    const size = sizes.findIndex(([across, down]) => across === width && down === height);
    for (let round = 0; round < refined; round++) {
      const block = coefficients(from, width, height);
      const cleanup = encodeCleanup(block, from);
      const refinement = noise(from, from.whole(1, 2 + ((width * height) >> 2)));
      const plane = from.whole(0, 9);
      const passes = from.whole(1, 3);
      const picture = {
        ...block,
        cleanup,
        refinement: passes === 1 ? new Uint8Array() : refinement,
        passes,
        magnitudeBits: 13 + plane,
        missing: 12,
        causal: from.whole(0, 1) === 1,
      };
      const decoded = Array.from(decode(asBlock(picture)), halved);
      expect(sumOf(decoded)).toBe(recorded(size * refined + round));
    }
  });

  it.each(sizes)(
    "of %i x %i are decoded in part, in halves or scaled by a step",
    (width, height) => {
      const from = random(width * 4_099 + height);
      for (let round = 0; round < 12; round++) {
        const block = coefficients(from, width, height, from.one([11, 17]));
        const cleanup = encodeCleanup(block, from);
        const plane = from.whole(0, 9);
        const left = from.whole(0, width - 1);
        const top = from.whole(0, height - 1);
        const columns = from.whole(1, width - left);
        const rows = from.whole(1, height - top);
        const sound = blockOf({ ...block, cleanup, plane });
        const stored =
          round % 3 === 0 ? { ...sound, bytes: cleanup.subarray(0, cleanup.length - 1) } : sound;
        const decoded = decode(stored);
        const wanted = (of: (value: number) => number, behind: number): number[] =>
          Array.from({ length: rows + 1 }, (_, y) =>
            Array.from({ length: columns + 4 }, (__, x) =>
              x < columns && y < rows ? of(decoded[(top + y) * width + left + x] ?? 0) : behind,
            ),
          ).flat();
        const part = { left, top, width: columns, height: rows };
        expect(Array.from(place(stored, part))).toEqual(wanted(halved, untouched));
        const step = from.one([0.25, 1.375, 0.007_812_5, 1]);
        const [there = 0] = new Float32Array(Int32Array.of(untouched).buffer);
        const scaled = (value: number): number => Math.fround(Math.fround(value) * (step / 2)) + 0;
        expect(Array.from(place(stored, part, step), (value) => value + 0)).toEqual(
          wanted(scaled, there),
        );
      }
    },
  );

  it.each(sizes)("of %i x %i are decoded in part and, in 16 bits, as a whole", (width, height) => {
    const from = random(width * 8_191 + height);
    for (let round = 0; round < 12; round++) {
      const block = coefficients(from, width, height, 9);
      const cleanup = encodeCleanup(block, from);
      // The bytes of the MagSgn code come first: without them coefficients are too large.
      const bytes = cleanup.map((byte, at) => (round % 4 === 3 && at % 3 === 1 ? 0xff : byte));
      const sound = blockOf({ ...block, cleanup: bytes, plane: from.whole(0, 3) });
      // Blocks of several segments are decoded as a whole first.
      const more = round % 4 === 2 ? [{ length: 0, passes: 1 }] : [];
      const segments = [...sound.segments, ...more];
      const stored = { ...sound, segments, magnitudeBits: sound.magnitudeBits - 17, missing: 9 };
      const part = {
        left: from.whole(0, width - 1),
        top: from.whole(0, height - 1),
        width: 0,
        height: 0,
      };
      if (round % 3 > 0) {
        part.width = from.whole(1, width - part.left);
        part.height = from.whole(1, Math.min(5, height - part.top));
      }
      const [shorts, placed] = leave(stored, part);
      expect(Array.from(shorts)).toEqual(Array.from(decode(stored)));
      if (part.width > 0) expect(placed).toEqual(place(stored, part));
      else expect(placed.every((value) => value === untouched)).toBe(true);
    }
  });

  it("use what is available of a refinement segment, and are zero without a cleanup segment", () => {
    const from = random(77);
    const block = coefficients(from, 64, 64);
    const cleanup = encodeCleanup(block, from);
    const plain = Array.from(decode(blockOf({ ...block, cleanup, plane: 4 })));
    const whole = blockOf({ ...block, cleanup, plane: 4 });
    const cut = { ...whole, segments: [...whole.segments, { length: 90, passes: 2 }] };
    expect(Array.from(decode(cut))).toEqual(plain);
    const noCleanup = { ...whole, bytes: cleanup.subarray(0, cleanup.length - 1) };
    expect(decode(noCleanup).every((value) => value === 0)).toBe(true);
    expect(decode({ ...whole, segments: [] }).every((value) => value === 0)).toBe(true);
    expect(decode({ ...whole, missing: 31 }).every((value) => value === 0)).toBe(true);
  });

  it("that are impossible are refused", () => {
    const whole = blockOf({ width: 64, height: 64, cleanup: new Uint8Array(2), plane: 3 });
    expect(() => decode({ ...whole, width: 65 })).toThrow("4096 coefficients, not 65 x 64");
    expect(() => decode({ ...whole, width: 0 })).toThrow("not 0 x 64");
    expect(() => decode({ ...whole, magnitudeBits: 31, missing: 0 })).toThrow("29 bit planes");
  });

  it("that are damaged agree with OpenJPEG wherever it accepts them, and never break the decoder", () => {
    const from = random(4_242);
    let accepted = 0;
    for (let round = 0; round < 5_000; round++) {
      const [width, height] = from.one<readonly [number, number]>([
        [8, 8],
        [16, 16],
        [13, 9],
        [64, 4],
      ]);
      const block = coefficients(from, width, height);
      const cleanup = damaged(from, encodeCleanup(block, from));
      const passes = from.whole(1, 3);
      const picture = {
        ...block,
        cleanup,
        refinement: passes === 1 ? new Uint8Array() : noise(from, from.whole(1, 40)),
        passes,
        magnitudeBits: 16,
        missing: 12,
        causal: false,
      };
      const decoded = Array.from(decode(asBlock(picture)), halved);
      expect(decoded).toHaveLength(width * height);
      const wanted = recorded(sizes.length * refined + round);
      if (wanted === 0 || !isInside(picture)) continue;
      expect(sumOf(decoded), `round ${round}`).toBe(wanted);
      accepted += 1;
    }
    expect(accepted).toBeGreaterThan(200);
  });
});

describe("the HT codewords", () => {
  it("are complete and consistent", () => {
    const table = expandCodewords();
    const different = new Set<string>();
    for (const [at, entry] of table.entries()) {
      const [length, rho] = [entry & 7, (entry >> 4) & 15];
      const [ones, known] = [(entry >> 8) & 15, entry >> 12];
      expect(length).toBeGreaterThan(0);
      expect(ones & ~known).toBe(0);
      expect(known & ~rho).toBe(0);
      if ((entry & 8) === 0) expect(known).toBe(0);
      different.add(`${at >> 7} ${at & (2 ** length - 1)} ${entry}`);
    }
    expect(different.size).toBe(444 + 358);
  });
});

const coefficients = (from: Random, width: number, height: number, bits = 11): Coefficients => {
  const [density, max] = [from.whole(0, 100), from.whole(0, bits)];
  const values = Int32Array.from({ length: width * height }, () => {
    if (from.whole(0, 99) >= density) return 0;
    const magnitude = from.whole(1, 2 ** from.whole(0, max));
    return from.whole(0, 1) === 0 ? magnitude : -magnitude;
  });
  return { width, height, values };
};

const noise = (from: Random, length: number): Uint8Array => {
  const often = from.one([0, 20, 90]);
  return Uint8Array.from({ length }, () =>
    // Stuffing begins at bytes of ones.
    from.whole(0, 99) < often ? from.one([0xff, 0x7f]) : from.whole(0, 255),
  );
};

const damaged = (from: Random, cleanup: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from(cleanup);
  for (let changes = from.whole(0, 3); changes > 0; changes--)
    bytes[from.whole(0, bytes.length - 1)] = from.whole(0, 255);
  return bytes;
};

const blockOf = (block: {
  readonly width: number;
  readonly height: number;
  readonly cleanup: Uint8Array;
  readonly plane: number;
}): TestBlock => ({
  bytes: block.cleanup,
  segments: [{ length: block.cleanup.length, passes: 1 }],
  width: block.width,
  height: block.height,
  magnitudeBits: block.plane + 27,
  missing: 26,
  style: 0x40,
});

const asBlock = (picture: HtPicture): TestBlock => ({
  bytes: Buffer.concat([picture.cleanup, picture.refinement]),
  segments: [
    { length: picture.cleanup.length, passes: 1 },
    ...(picture.passes > 1
      ? [{ length: picture.refinement.length, passes: picture.passes - 1 }]
      : []),
  ],
  width: picture.width,
  height: picture.height,
  magnitudeBits: picture.magnitudeBits,
  missing: picture.missing,
  style: picture.causal ? 0x48 : 0x40,
});

const halved = (value: number): number => Math.trunc(value / 2) + 0;

/** Whether a corrupt block's coefficients are no larger than the component's samples. */
const isInside = (picture: HtPicture): boolean =>
  decode(asBlock(picture)).every(
    (value) => Math.abs(value) >> 1 < 2 ** (picture.magnitudeBits + 1),
  );
