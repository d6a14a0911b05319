import { beforeAll, describe, expect, it } from "vitest";
import { codestreamOf, type HtPicture } from "../../../test/ht-codestream.ts";
import { type Coefficients, encodeCleanup } from "../../../test/ht-encoder.ts";
import { loadReference } from "../../../test/openjpeg.ts";
import { type Random, random } from "../../../test/random.ts";
import { compileWasm } from "../../core/wasm.ts";
import type { CodeBlock, DecodeBlock } from "./contract.ts";
import { htBlockDecoder } from "./ht-block.ts";
import { expandCodewords } from "./ht-codewords.ts";

let decode: DecodeBlock;
let reference: (picture: HtPicture) => Int32Array | undefined;

beforeAll(async () => {
  decode = htBlockDecoder(await compileWasm("wasm", "htj2k"));
  const openJpeg = await loadReference();
  reference = (picture) => openJpeg(codestreamOf(picture))?.[0]?.data;
});

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

describe("HT code-blocks", () => {
  it.each(sizes)("of %i x %i come out as they went in, at any bit plane", (width, height) => {
    const from = random(width * 1_031 + height);
    for (let round = 0; round < 12; round++) {
      const block = coefficients(from, width, height);
      const cleanup = encodeCleanup(block, from);
      const plane = from.whole(0, 30 - 12 - 3);
      const decoded = decode(blockOf({ ...block, cleanup, plane }));
      const wanted = block.values.map(
        (value) => Math.sign(value) * ((2 * Math.abs(value) + 1) << plane),
      );
      expect(Array.from(decoded)).toEqual(Array.from(wanted));
    }
  });

  it.each(sizes)("of %i x %i are refined as OpenJPEG refines them", (width, height) => {
    const from = random(width * 2_053 + height);
    let compared = 0;
    for (let round = 0; round < 12; round++) {
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
      const wanted = reference(picture);
      if (wanted === undefined) throw new Error("OpenJPEG refused what is sound");
      const decoded = decode(asBlock(picture));
      expect(Array.from(decoded, halved)).toEqual(Array.from(wanted));
      compared += 1;
    }
    expect(compared).toBe(12);
  });

  it("keep to what is there of a refinement segment, and to zero without a cleanup segment", () => {
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
    expect(decode({ ...whole, missing: 30 }).every((value) => value === 0)).toBe(true);
  });

  it("that no block can be are refused", () => {
    const whole = blockOf({ width: 64, height: 64, cleanup: new Uint8Array(2), plane: 3 });
    expect(() => decode({ ...whole, width: 65 })).toThrow("4096 coefficients, not 65 x 64");
    expect(() => decode({ ...whole, width: 0 })).toThrow("not 0 x 64");
    expect(() => decode({ ...whole, magnitudeBits: 31, missing: 0 })).toThrow("29 bit planes");
  });

  it("that are damaged agree with OpenJPEG wherever it takes them, and never break the decoder", () => {
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
      const wanted = reference(picture);
      if (wanted === undefined || !isInside(picture)) continue;
      expect(decoded).toEqual(Array.from(wanted));
      accepted += 1;
    }
    expect(accepted).toBeGreaterThan(200);
  });
});

describe("the codewords of HT", () => {
  it("are whole codes that say nothing impossible", () => {
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

const coefficients = (from: Random, width: number, height: number): Coefficients => {
  const [density, most] = [from.whole(0, 100), from.whole(0, 11)];
  const values = Int32Array.from({ length: width * height }, () => {
    if (from.whole(0, 99) >= density) return 0;
    const magnitude = from.whole(1, 2 ** from.whole(0, most));
    return from.whole(0, 1) === 0 ? magnitude : -magnitude;
  });
  return { width, height, values };
};

const noise = (from: Random, length: number): Uint8Array => {
  const often = from.one([0, 20, 90]);
  return Uint8Array.from({ length }, () =>
    // Bytes of ones are where stuffing begins.
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
}): CodeBlock => ({
  bytes: block.cleanup,
  segments: [{ length: block.cleanup.length, passes: 1 }],
  width: block.width,
  height: block.height,
  band: 0,
  magnitudeBits: block.plane + 1,
  missing: 0,
  style: 0x40,
});

const asBlock = (picture: HtPicture): CodeBlock => ({
  bytes: Buffer.concat([picture.cleanup, picture.refinement]),
  segments: [
    { length: picture.cleanup.length, passes: 1 },
    ...(picture.passes > 1
      ? [{ length: picture.refinement.length, passes: picture.passes - 1 }]
      : []),
  ],
  width: picture.width,
  height: picture.height,
  band: 0,
  magnitudeBits: picture.magnitudeBits,
  missing: picture.missing,
  style: picture.causal ? 0x48 : 0x40,
});

const halved = (value: number): number => Math.trunc(value / 2) + 0;

/** Whether a damaged block's coefficients are no larger than the component's samples. */
const isInside = (picture: HtPicture): boolean =>
  decode(asBlock(picture)).every(
    (value) => Math.abs(value) >> 1 < 2 ** (picture.magnitudeBits + 1),
  );
