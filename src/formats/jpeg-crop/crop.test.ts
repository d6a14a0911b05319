import sharp from "sharp";
import { describe, expect, it } from "vitest";
import {
  type BlockComponent,
  type BlockJpeg,
  type Blocks,
  blocksOf,
  encodeBlocks,
  randomBlocks,
} from "../../../test/jpeg-blocks.ts";
import { random } from "../../../test/random.ts";
import type { Size } from "../../core/geometry.ts";
import { loadJpegCropper } from "./crop.ts";

const cropper = await loadJpegCropper();

const flat = Array.from({ length: 64 }, () => 3);
const component = (h: number, v: number): BlockComponent => ({ h, v, quantisation: flat });

/** The blocks of the upper left part. */
const upperLeft = (blocks: Blocks, jpeg: BlockJpeg): Blocks =>
  jpeg.components.map((one, index) => {
    const { across, down } = blocksOf(jpeg, one);
    return (blocks[index] ?? []).slice(0, down).map((row) => row.slice(0, across));
  });

const tile = { width: 128, height: 112 };
const edges: readonly Size[] = [
  { width: 77, height: 112 },
  { width: 128, height: 33 },
  { width: 50, height: 49 },
  { width: 1, height: 1 },
  { width: 120, height: 8 },
];

describe("a JPEG is cropped", () => {
  const kinds: readonly (readonly [string, readonly BlockComponent[]])[] = [
    ["in grey", [component(1, 1)]],
    ["in grey, of several blocks in a unit as it states", [component(2, 2)]],
    ["in 4:4:4", [component(1, 1), component(1, 1), component(1, 1)]],
    ["in 4:2:0", [component(2, 2), component(1, 1), component(1, 1)]],
    ["in 4:2:2", [component(2, 1), component(1, 1), component(1, 1)]],
    ["in 4:4:0", [component(1, 2), component(1, 1), component(1, 1)]],
  ];

  it.each(kinds)("to the bytes of one with these blocks alone, %s", (_, components) => {
    for (const [seed, size] of edges.entries()) {
      const whole: BlockJpeg = { ...tile, components, restartInterval: 0 };
      const blocks = randomBlocks(whole, random(seed + 1));
      const part: BlockJpeg = { ...whole, ...size };
      const found = cropper.crop(encodeBlocks(whole, blocks), tile, size);
      const expected = encodeBlocks(part, upperLeft(blocks, part));
      expect(found && Buffer.compare(found, expected)).toBe(0);
      expect(found?.buffer.byteLength).toBe(found?.length);
    }
  });

  it("as libjpeg encodes it from the same pixels", async () => {
    const dice = random(5);
    const pixels = Uint8Array.from({ length: 128 * 112 * 3 }, () => dice.whole(90, 160));
    const jpegOf = (size: Size): Promise<Buffer> =>
      sharp(pixels, { raw: { ...tile, channels: 3 } })
        .extract({ left: 0, top: 0, ...size })
        .jpeg({ quality: 90, chromaSubsampling: "4:4:4", optimiseCoding: false })
        .toBuffer();
    const size = { width: 72, height: 40 };
    const found = cropper.crop(await jpegOf(tile), tile, size);
    expect(found && Buffer.compare(found, await jpegOf(size))).toBe(0);
  });

  it("where its optimised tables have the codes for it", async () => {
    const dice = random(6);
    const size = { width: 40, height: 72 };
    let cropped = 0;
    for (let seed = 0; seed < 20; seed++) {
      const pixels = Uint8Array.from({ length: 128 * 112 }, (_, at) =>
        at % 128 < 64 ? 100 + (seed % 3) : dice.whole(0, 255),
      );
      const image = sharp(pixels, { raw: { ...tile, channels: 1 } });
      const jpeg = await image.jpeg({ quality: 60, optimiseCoding: true }).toBuffer();
      const found = cropper.crop(jpeg, tile, size);
      if (found === undefined) continue;
      cropped++;
      const whole = await sharp(jpeg)
        .extract({ left: 0, top: 0, ...size })
        .raw()
        .toBuffer();
      expect(Buffer.compare(await sharp(found).raw().toBuffer(), whole)).toBe(0);
    }
    expect(cropped).toBeGreaterThan(0);
  });
});

describe("a JPEG is not cropped", () => {
  const components = [component(2, 2), component(1, 1), component(1, 1)];
  const whole: BlockJpeg = { ...tile, components, restartInterval: 0 };
  const size = { width: 100, height: 100 };
  const good = encodeBlocks(whole, randomBlocks(whole, random(3)));
  const crop = (jpeg: Uint8Array): Uint8Array | undefined => cropper.crop(jpeg, tile, size);

  it("where it has restart markers, or is progressive", async () => {
    expect(crop(good)).toBeDefined();
    const restarting = { ...whole, restartInterval: 3 };
    expect(crop(encodeBlocks(restarting, randomBlocks(restarting, random(3))))).toBeUndefined();
    expect(crop(await sharp(good).jpeg({ progressive: true }).toBuffer())).toBeUndefined();
  });

  it("where it is of another size, or too large for the event loop", () => {
    expect(cropper.crop(good, { width: 128, height: 128 }, size)).toBeUndefined();
    expect(crop(Buffer.concat([good, Buffer.alloc(262_144)]))).toBeUndefined();
  });

  it("where it ends early, whatever else it becomes if bytes of it change", async () => {
    for (const share of [0.3, 0.6, 0.9]) {
      const cut = good.subarray(0, Math.floor(good.length * share));
      expect(crop(cut)).toBeUndefined();
      expect(crop(Buffer.concat([cut, Buffer.of(0xff, 0xd9)]))).toBeUndefined();
    }
    const dice = random(8);
    for (let round = 0; round < 300; round++) {
      const changed = Buffer.from(good);
      for (let count = dice.whole(1, 4); count > 0; count--)
        changed[dice.whole(2, good.length - 3)] = dice.whole(0, 255);
      const found = crop(changed);
      if (found !== undefined) expect((await sharp(found).metadata()).width).toBe(size.width);
    }
  });
});
