import { afterAll, describe, expect, it } from "vitest";
import { type Drawable, drawn } from "../../test/drawing.ts";
import { jpeg2000File, storedTile } from "../../test/jpeg2000-files.ts";
import { difference, pixelsOf } from "../../test/likeness.ts";
import { plan } from "../../test/plans.ts";
import { memoryReader } from "../../test/readers.ts";
import { answerBy, answerSync } from "../../test/ways.ts";
import { Config } from "../config/store.ts";
import type { Rect } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import { tileThreads } from "../formats/fast-jpeg/resources.ts";
import { createTileThreads } from "../formats/fast-jpeg/tile-threads.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";

const signal = new AbortController().signal;
const threads = createTileThreads(() => ({ threads: 1, ms: 20_000 }));
afterAll(() => threads.close());

/** A file through the server's own decoder, and how often libvips was given its pixels. */
const opened = async (bytes: Uint8Array): Promise<Drawable & { readonly reads: () => number }> => {
  const { decoder } = await createCodecs(new Resources(new Config()).provide(tileThreads, threads))(
    "jp2",
  );
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(bytes);
  let reads = 0;
  return {
    reader,
    info: await decoder.info(reader, signal),
    reads: () => reads,
    decoder: {
      ...decoder,
      read: (_, ...wanted) => {
        reads++;
        return decoder.read(reader, ...wanted);
      },
    },
  };
};

const asJpeg = {
  format: "jpg",
  direct: true,
  encoding: { quality: 95, subsampling: "4:4:4" },
} as const;

const all = { x: 0, y: 0, width: 301, height: 219 };
const cases: readonly (readonly [string, Rect, number])[] = [
  ["all of it", all, 1],
  ["a part", { x: 64, y: 32, width: 64, height: 96 }, 1],
  ["a stored half", { x: 64, y: 64, width: 128, height: 128 }, 2],
  ["the corner at a quarter", { x: 256, y: 128, width: 45, height: 91 }, 4],
  ["a third, which no level is", { x: 0, y: 0, width: 300, height: 150 }, 3],
  ["all of it in small", all, 7],
];

const encodes = await threads.available();
const skipped = encodes
  ? ""
  : " (skipped: the optional package @julusian/jpeg-turbo cannot be loaded)";

describe.skipIf(!encodes)(`JPEGs of JPEG 2000 made without libvips${skipped}`, () => {
  it.each(cases)("show what libvips would render: %s", async (_, crop, factor) => {
    for (const name of ["tiles.jp2", "precincts.jp2", "blocks.j2c"]) {
      const drawable = await opened(await jpeg2000File(name));
      const size = {
        width: Math.ceil(crop.width / factor),
        height: Math.ceil(crop.height / factor),
      };
      const direct = await pixelsOf(await drawn(drawable, { crop, size, ...asJpeg }));
      // A level whose size was rounded down lacks the last column or row, which libvips repeats.
      const isShort = name === "tiles.jp2" && factor === 4;
      if (!isShort) expect(drawable.reads(), name).toBe(0);
      const plain = await pixelsOf(await drawn(drawable, { crop, size }));
      expect(difference(direct, plain).mean, name).toBeLessThan(3);
    }
  });

  it("show grey images as grey", async () => {
    const drawable = await opened(await storedTile("grey8.j2k"));
    const crop = { x: 0, y: 0, width: 32, height: 32 };
    const direct = await drawn(drawable, { crop, ...asJpeg });
    expect(drawable.reads()).toBe(0);
    const plain = await pixelsOf(await drawn(drawable, { crop }));
    expect(difference(await pixelsOf(direct), plain).mean).toBeLessThan(3);
  });

  it.each(cases)("are made synchronously if the pixels are cached: %s", async (_, crop, factor) => {
    const reader = memoryReader(await jpeg2000File("blocks.j2c"));
    const codec = await createCodecs(new Resources(new Config()).provide(tileThreads, threads))(
      "jp2",
    );
    const info = await codec.decoder?.info(reader, signal);
    if (info === undefined) throw new Error("Expected a decoder");
    const size = { width: Math.ceil(crop.width / factor), height: Math.ceil(crop.height / factor) };
    const wanted = { ...plan, crop, size, ...asJpeg };
    const whole = {
      ...wanted,
      crop: all,
      size: { width: Math.ceil(301 / factor), height: Math.ceil(219 / factor) },
    };
    const picture = { reader, size: reader.size, info, codec };
    const sync = (changes: Partial<Plan> = {}) =>
      answerSync(["recoded", "scaled"], { ...wanted, ...changes }, picture);
    expect(sync()).toBeUndefined();
    const usual = async (one: typeof wanted) =>
      (await answerBy("recoded", one, picture)) ?? (await answerBy("scaled", one, picture));
    // Whole chunks are cached.
    expect(await usual(whole)).toBeInstanceOf(Uint8Array);
    expect(sync()).toEqual(await usual(wanted));
    expect(sync({ direct: false })).toBeUndefined();
  });

  it.each([
    ["samples of sixteen bits", "deep16.j2k", {}],
    ["differences of colour", "ycc8-halved.j2k", {}],
    ["progressive JPEGs", "rgb8.j2k", { encoding: { quality: 90, progressive: true } }],
  ])("are left to libvips: %s", async (_, name, changes) => {
    const drawable = await opened(await storedTile(name));
    const crop = { x: 0, y: 0, width: 32, height: 32 };
    const { width } = await pixelsOf(await drawn(drawable, { crop, ...asJpeg, ...changes }));
    expect([width, drawable.reads()]).toEqual([32, 1]);
  });
});
