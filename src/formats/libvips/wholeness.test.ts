import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { plan as anyPlan } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { render } from "../../render/render.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { isWhole } from "./wholeness.ts";

const signal = new AbortController().signal;
const codecs = createCodecs(new Resources(new Config()));
const size = { width: 512, height: 384 };

const drawing = (): Sharp => {
  const { whole } = random(7);
  const grain = Buffer.from(Array.from({ length: 64 * 48 * 3 }, () => whole(0, 255)));
  return sharp(grain, { raw: { width: 64, height: 48, channels: 3 } }).resize(
    size.width,
    size.height,
  );
};

const sound = {
  jpg: () => drawing().jpeg().toBuffer(),
  png: () => drawing().png().toBuffer(),
  webp: () => drawing().webp({ lossless: true }).toBuffer(),
} as const;

type Format = keyof typeof sound;

/** The results for the whole image, a downscaled one, and tiles at the top and the bottom. */
const verdictsOf = async (bytes: Uint8Array, format: Format): Promise<string[]> => {
  const codec = await codecs(format);
  const reader = memoryReader(bytes);
  const { decoder } = codec;
  if (decoder === undefined) throw new Error("Expected a decoder");
  const info = await decoder.info(reader, signal);
  const { width, height } = size;
  const all = { x: 0, y: 0, ...size };
  const verdicts: string[] = [];
  const plans: Pick<Plan, "crop" | "size">[] = [
    { crop: { x: 0, y: 0, width: 64, height: 64 }, size: { width: 64, height: 64 } },
    { crop: all, size },
    { crop: all, size: { width: width / 8, height: height / 8 } },
    { crop: { x: 0, y: height - 64, width: 64, height: 64 }, size: { width: 64, height: 64 } },
    { crop: all, size },
  ];
  for (const own of plans) {
    const plan: Plan = { ...anyPlan, ...own, stored: true, format };
    const failed = await render(plan, reader, info, { [format]: codec }, signal).then(
      () => "shown",
      (error: unknown) => (error instanceof ServerError ? error.failure : String(error)),
    );
    verdicts.push(failed);
  }
  return verdicts;
};

describe.each(Object.keys(sound) as Format[])("a corrupt %s", (format) => {
  test("gives the same outcome at every size and in every region", async () => {
    const whole = new Uint8Array(await sound[format]());
    expect(new Set(await verdictsOf(whole, format))).toEqual(new Set(["shown"]));
    const { whole: number, one } = random(3);
    const seen = new Set<string>();
    for (let round = 0; round < 40; round++) {
      let bytes = Uint8Array.from(whole);
      if (one([true, false])) bytes = bytes.slice(0, number(whole.length >> 1, whole.length - 1));
      const from = one([20, bytes.length >> 1]);
      for (let change = number(1, 3); change > 0; change--) {
        const at = number(from, bytes.length - 1);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << number(0, 7));
      }
      const verdicts = await verdictsOf(bytes, format).catch((error: unknown) => {
        if (error instanceof ServerError) return [error.failure];
        throw error;
      });
      expect([round, new Set(verdicts).size]).toEqual([round, 1]);
      seen.add(verdicts[0] ?? "");
    }
    expect(seen.has("unreadable")).toBe(true);
  });
});

describe("detection of a complete file", () => {
  test.each(["jpg", "png"] as const)("%s", async (format) => {
    const bytes = new Uint8Array(await sound[format]());
    expect(await isWhole(format, memoryReader(bytes), signal)).toBe(true);
    const behind = Buffer.concat([bytes, Buffer.alloc(10_000, 0xff)]);
    expect(await isWhole(format, memoryReader(new Uint8Array(behind)), signal)).toBe(true);
    for (const cut of [1, 2, 3, 100, 5_000, bytes.length - 3])
      expect([cut, await isWhole(format, memoryReader(bytes.subarray(0, -cut)), signal)]).toEqual([
        cut,
        format === "png" && cut < 5,
      ]);
  });

  // A file not verified as complete is decoded once.
  test.skipIf(!corpusIsHere)("accepts all but two intact files of the corpus", async () => {
    const odd: string[] = [];
    for (const format of ["jpg", "png"] as const)
      for (const file of corpusFiles(format === "jpg" ? "jpeg" : "png")) {
        const reader = await fileReaderOf(corpusPath(file));
        if (file.expect === "ok" && !(await isWhole(format, reader, signal))) odd.push(file.path);
      }
    expect(odd).toEqual(["jpeg/0x00-to-0xFF-between-segments.jpg", "jpeg/ultrahdr.jpg"]);
  });
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
