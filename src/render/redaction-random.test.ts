import sharp from "sharp";
import { expect, it } from "vitest";
import { type Drawable, drawn, planFor } from "../../test/drawing.ts";
import { difference, pixelsOf } from "../../test/likeness.ts";
import { plan as anyPlan } from "../../test/plans.ts";
import { random } from "../../test/random.ts";
import { memoryReader } from "../../test/readers.ts";
import { reducedSize } from "../../test/seams.ts";
import { Config } from "../config/store.ts";
import type { Rect, Size } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";
import { encoders } from "../formats/write/encode.ts";
import { redactionsOn } from "./redaction.ts";

const { signal } = new AbortController();
const size: Size = { width: 413, height: 307 };
const { whole } = random(99);
const pick = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;

/** An image with one shade in a rectangle. */
const pictureOf = (rect: Rect, shade: number): Promise<Buffer> => {
  const data = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const across = x >= rect.x && x < rect.x + rect.width;
      const isHidden = across && y >= rect.y && y < rect.y + rect.height;
      const open = [(x * 7) % 200, (y * 5) % 180, (x * y) % 255];
      data.set(isHidden ? [shade, shade, shade] : open, (y * size.width + x) * 3);
    }
  return sharp(data, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
};

const tiled = { tile: true, tileWidth: 64, tileHeight: 64, pyramid: true };

/** Lossless: no stored pixel then depends on a hidden one. */
const formats = {
  png: async (picture: Buffer) => picture,
  tif: (picture: Buffer) =>
    sharp(picture)
      .tiff({ compression: "deflate", ...tiled })
      .toBuffer(),
  jp2: async (picture: Buffer) => {
    const plan: Plan = { ...anyPlan, format: "jp2", encoding: { lossless: true } };
    return Buffer.from((await encoders.jp2?.encode(sharp(picture), plan)) ?? []);
  },
};

const open = async (format: keyof typeof formats, picture: Buffer): Promise<Drawable> => {
  const { decoder } = await createCodecs(new Resources(new Config()))(format);
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(await formats[format](picture));
  return { info: await decoder.info(reader, signal), decoder, reader };
};

/** A tile of a grid, or any region at any size. */
const anyRegion = (): Pick<Plan, "crop" | "size"> => {
  const side = 64 * pick([1, 2, 4, 8]);
  const isTile = pick([true, false]);
  const from = (length: number): number =>
    isTile ? side * whole(0, Math.floor((length - 1) / side)) : whole(0, length - 10);
  const [x, y] = [from(size.width), from(size.height)];
  const [right, bottom] = [size.width - x, size.height - y];
  if (!isTile) {
    const crop = { x, y, width: whole(1, right), height: whole(1, bottom) };
    return { crop, size: { width: whole(1, 300), height: whole(1, 300) } };
  }
  const crop = { x, y, width: Math.min(side, right), height: Math.min(side, bottom) };
  return { crop, size: reducedSize(crop, side / 64) };
};

const anyRequest = (): Partial<Plan> => ({
  ...anyRegion(),
  mirror: pick([true, false]),
  rotation: pick([0, 0, 90, 180, 33.3]),
  sharpen: pick([0, 0, 1]),
  linear: pick([true, false, false]),
  downscaleFilter: pick(["bicubic", "lanczos3", "box"]),
});

it.each(["png", "tif", "jp2"] as const)(
  "no response to random requests for a %s depends on redacted pixels",
  async (format) => {
    for (let round = 0; round < 8; round++) {
      const rect = {
        x: whole(0, 400),
        y: whole(0, 300),
        width: whole(1, 120),
        height: whole(1, 90),
      };
      const white = await open(format, await pictureOf(rect, 255));
      const black = await open(format, await pictureOf(rect, 0));
      for (let n = 0; n < 6; n++) {
        const wanted = anyRequest();
        const redactions = redactionsOn([rect], planFor(white, wanted), white.info.pages[0]);
        const all = { ...wanted, ...(redactions.length > 0 && { cover: { redactions } }) };
        const [one, other] = [await drawn(white, all), await drawn(black, all)];
        const { max } = difference(await pixelsOf(one), await pixelsOf(other));
        expect(max, JSON.stringify(all)).toBe(0);
      }
    }
  },
  60_000,
);
