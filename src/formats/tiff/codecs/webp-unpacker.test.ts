import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { createWebpUnpacker } from "./webp-unpacker.ts";

const size = { width: 64, height: 48 };
const wanted = { max: 0, size };
const dice = random(50_001);
const picture = sharp(
  Uint8Array.from({ length: size.width * size.height * 3 }, () => dice.whole(0, 255)),
  { raw: { ...size, channels: 3 } },
).blur(1);

const webp = await createWebpUnpacker(await compileWasm("tiles"));

describe("WebP", () => {
  test.each([
    ["lossy", { quality: 80 }],
    ["without loss", { lossless: true }],
    ["nearly without loss", { nearLossless: true, quality: 60 }],
  ] as const)("%s decodes to the same pixels as with sharp", async (_, options) => {
    const bytes = await picture.clone().webp(options).toBuffer();
    const pixels = await sharp(bytes).raw().toBuffer();
    expect(Buffer.from(webp.unpack(bytes, wanted)).equals(pixels)).toBe(true);
  });

  test("in the extended form is decoded when it has no transparency", async () => {
    const bytes = await picture.clone().keepIccProfile().withIccProfile("srgb").webp().toBuffer();
    expect(bytes.toString("latin1", 12, 16)).toBe("VP8X");
    const pixels = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer();
    expect(Buffer.from(webp.unpack(bytes, wanted)).equals(pixels)).toBe(true);
  });

  test.each([1, 5, 7])(
    "of any number of pixels keeps the last of them (%i in a row)",
    async (width) => {
      const cropped = picture.clone().extract({ left: 0, top: 0, width, height: 3 });
      const bytes = await cropped.webp({ lossless: true }).toBuffer();
      const pixels = await sharp(bytes).raw().toBuffer();
      const unpacked = webp.unpack(bytes, { max: 0, size: { width, height: 3 } });
      expect(Buffer.from(unpacked).equals(pixels)).toBe(true);
    },
  );

  test("of another size is rejected from its header", async () => {
    const bytes = await picture.clone().webp().toBuffer();
    const turned = { width: 48, height: 64 };
    expect(() => webp.unpack(bytes, { max: 0, size: turned })).toThrow("48 x 64 has 64 x 48");
    // The rest of the file is missing: decoding it would report damage.
    const head = Buffer.from(bytes.subarray(0, 40));
    head.writeUInt16LE(16_383, 26);
    head.writeUInt16LE(16_383, 28);
    expect(() => webp.unpack(head, wanted)).toThrow("16383 x 16383 pixels");
    expect(() => webp.unpack(bytes, { max: 0 })).toThrow("size is known");
  });

  test("with transparency or animation is rejected", async () => {
    const still = await picture.clone().webp().toBuffer();
    for (const lossless of [false, true]) {
      const clear = await picture.clone().ensureAlpha(0.5).webp({ lossless }).toBuffer();
      expect(() => webp.unpack(clear, wanted)).toThrow("transparency");
    }
    const other = await picture.clone().negate().webp().toBuffer();
    const moving = await sharp([still, other], { join: { animated: true } })
      .webp()
      .toBuffer();
    expect(() => webp.unpack(moving, wanted)).toThrow("moves");
  });

  test.each([{ quality: 80 }, { lossless: true }])(
    "corrupted in 2,000 ways is decoded or rejected, and an intact file still decodes (%j)",
    async (options) => {
      const whole = await picture.clone().webp(options).toBuffer();
      const pixels = Buffer.from(webp.unpack(whole, wanted));
      const { whole: number } = random(3);
      let refused = 0;
      for (let round = 0; round < 2_000; round++) {
        const cut = number(1, 3) === 1 ? number(0, whole.length) : whole.length;
        const bytes = Uint8Array.from(whole.subarray(0, cut));
        for (let change = number(0, 8); change > 0 && cut > 0; change--)
          bytes[number(0, cut - 1)] = number(0, 255);
        try {
          expect(webp.unpack(bytes, wanted)).toHaveLength(pixels.length);
        } catch (error) {
          expect((error as Error).message).toMatch(/WebP|pixels/);
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(100);
      expect(Buffer.from(webp.unpack(whole, wanted)).equals(pixels)).toBe(true);
    },
  );
});
