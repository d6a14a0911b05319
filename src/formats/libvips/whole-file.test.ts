import fc from "fast-check";
import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { plan as anyPlan } from "../../../test/plans.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { answerBy } from "../../../test/ways.ts";
import { Config } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import type { FormatName } from "../../core/formats.ts";
import type { Plan } from "../../core/plan.ts";
import { Execution } from "../../render/execution.ts";
import { toolsOf } from "../../render/tools.ts";
import { bareJpeg } from "../containers/jpeg-file.ts";
import { barePng } from "../containers/png-file.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createVipsDecoder } from "./decoder.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const size = { width: 83, height: 61 };

/** Pixels without two equal rows, so that a shift shows. */
const drawing = (): Sharp => {
  const pixels = Buffer.alloc(size.width * size.height * 3);
  for (let at = 0; at < pixels.length; at++) pixels[at] = (at * 7 + (at >> 8) * 31) & 255;
  return sharp(pixels, { raw: { ...size, channels: 3 } });
};

const exif = { IFD0: { ImageDescription: "a secret" }, IFD3: { GPSLatitude: "1/1 2/1 3/1" } };

/** The response to a plan for the whole file; undefined where it has to be rendered. */
const answerOf = async (
  bytes: Uint8Array,
  stored: "jpg" | "png" | "webp" | "gif",
  changes: Partial<Plan> = {},
): Promise<Uint8Array | undefined> => {
  const decoder = createVipsDecoder(stored, settings);
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const { width, height } = info.pages[0].size;
  const whole = { crop: { x: 0, y: 0, width, height }, size: { width, height } };
  const plan: Plan = { ...anyPlan, stored: true, format: stored, ...whole, ...changes };
  const means = toolsOf(plan, { info, file: reader, decoder });
  // Before it was decoded once, it needs admission.
  expect(await new Execution(plan, means).find(reader, signal)).toBeUndefined();
  const checked = await answerBy("stored", plan, { reader, info, codec: { decoder } });
  expect(await new Execution(plan, means).find(reader, signal)).toEqual(checked);
  return checked;
};

const pixelsOf = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).raw().toBuffer();

/** A JPEG with data inserted after its start. */
const withSegment = (jpeg: Buffer, marker: number, content: Uint8Array): Buffer => {
  const length = content.length + 2;
  const segment = Buffer.of(0xff, marker, length >> 8, length & 255);
  return Buffer.concat([jpeg.subarray(0, 2), segment, content, jpeg.subarray(2)]);
};

describe("a whole file requested in its own format", () => {
  test.each([
    ["jpg", "baseline", (one: Sharp) => one.jpeg()],
    ["jpg", "progressive", (one: Sharp) => one.jpeg({ progressive: true })],
    ["jpg", "grey", (one: Sharp) => one.greyscale().jpeg()],
    ["png", "plain", (one: Sharp) => one.png()],
    ["png", "interlaced", (one: Sharp) => one.png({ progressive: true })],
    ["png", "with a palette", (one: Sharp) => one.png({ palette: true })],
    ["webp", "lossy", (one: Sharp) => one.webp()],
    ["webp", "lossless", (one: Sharp) => one.webp({ lossless: true })],
  ] as const)("%s (%s) is returned without re-encoding", async (format, _kind, write) => {
    const bytes = await write(drawing()).toBuffer();
    const answer = await answerOf(bytes, format);
    expect(answer && (await pixelsOf(answer))).toEqual(await pixelsOf(bytes));
    // libvips writes PNGs with a resolution chunk, which is not part of the image.
    if (format !== "png") expect(answer && Buffer.from(answer).equals(bytes)).toBe(true);
  });

  test.each([
    ["jpg", (one: Sharp) => one.jpeg()],
    ["png", (one: Sharp) => one.png()],
  ] as const)("%s loses its metadata but keeps its pixels", async (format, write) => {
    const xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>another secret</x:xmpmeta>";
    const bytes = await write(drawing().withExif(exif).withXmp(xmp)).toBuffer();
    expect(bytes.includes("secret")).toBe(true);
    const answer = (await answerOf(bytes, format)) ?? new Uint8Array();
    expect(Buffer.from(answer).includes("secret")).toBe(false);
    const metadata = await sharp(answer).metadata();
    expect([metadata.exif, metadata.xmp, metadata.iptc]).toEqual([undefined, undefined, undefined]);
    expect(await pixelsOf(answer)).toEqual(await pixelsOf(bytes));
  });

  test("WebP with metadata is rendered", async () => {
    expect(
      await answerOf(await drawing().withExif(exif).webp().toBuffer(), "webp"),
    ).toBeUndefined();
  });

  test("keeps a wide-gamut profile, drops sRGB and is rendered for conversion to sRGB", async () => {
    for (const [format, write] of [
      ["jpg", (one: Sharp) => one.jpeg()],
      ["png", (one: Sharp) => one.png()],
    ] as const) {
      const wide = await write(drawing().withIccProfile("p3")).toBuffer();
      const kept = (await answerOf(wide, format)) ?? new Uint8Array();
      expect((await sharp(kept).metadata()).icc).toEqual((await sharp(wide).metadata()).icc);
      expect(await answerOf(wide, format, { colour: "srgb" })).toBeUndefined();
      const usual = await write(drawing().withIccProfile("srgb")).toBuffer();
      const dropped = (await answerOf(usual, format)) ?? new Uint8Array();
      expect((await sharp(dropped).metadata()).icc).toBeUndefined();
      expect(await pixelsOf(dropped)).toEqual(await pixelsOf(usual));
    }
  });

  test("ends where its image data ends", async () => {
    for (const [format, written] of [
      ["jpg", drawing().jpeg()],
      ["jpg", drawing().jpeg({ progressive: true })],
      ["png", drawing().png()],
      ["webp", drawing().webp()],
    ] as const) {
      const bytes = await written.toBuffer();
      const behind = Buffer.concat([bytes, Buffer.from("a secret"), bytes]);
      const answer = (await answerOf(behind, format)) ?? new Uint8Array();
      expect(Buffer.from(answer)).toEqual(Buffer.from((await answerOf(bytes, format)) ?? []));
    }
  });

  test.each([
    ["another format", { format: "png" }],
    ["a part", { crop: { x: 0, y: 0, width: 80, height: 61 }, size: { width: 80, height: 61 } }],
    ["another size", { size: { width: 42, height: 31 } }],
    ["a rotation", { rotation: 90 }],
    ["a mirror", { mirror: true }],
    ["another quality", { quality: "gray" }],
    ["sharpening", { sharpen: 1 }],
    ["what is stored not being wanted", { stored: false }],
  ] as const)("is rendered for %s", async (_what, changes: Partial<Plan>) => {
    expect(await answerOf(await drawing().jpeg().toBuffer(), "jpg", changes)).toBeUndefined();
  });

  test("is rendered when rotated, transparent, 16-bit, CMYK, animated or a GIF", async () => {
    const { width, height } = size;
    const see = { create: { width, height, channels: 4, background: "#12345678" } } as const;
    const frames = await Promise.all(
      ["#ff0000", "#0000ff"].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    for (const [format, written] of [
      ["jpg", drawing().withMetadata({ orientation: 6 }).jpeg()],
      ["jpg", drawing().toColourspace("cmyk").jpeg()],
      ["png", sharp(see).png()],
      ["png", drawing().toColourspace("rgb16").png()],
      ["webp", sharp(see).webp()],
      ["webp", sharp(frames, { join: { animated: true } }).webp()],
      ["gif", drawing().gif()],
    ] as const)
      expect(await answerOf(await written.toBuffer(), format)).toBeUndefined();
  });

  test("is rendered when truncated, so that the damage is reported", async () => {
    for (const [format, written] of [
      ["jpg", drawing().jpeg()],
      ["png", drawing().png()],
    ] as const) {
      const bytes = await written.toBuffer();
      expect(await answerOf(bytes.subarray(0, bytes.length - 20), format)).toBeUndefined();
    }
  });
});

describe("a bare JPEG", () => {
  test("keeps JFIF and Adobe segments but drops a thumbnail in them", async () => {
    const jpeg = await drawing().jpeg().toBuffer();
    const adobe = Buffer.from("41646f6265006400000000 01".replaceAll(" ", ""), "hex");
    const marked = withSegment(jpeg, 0xee, adobe);
    expect(bareJpeg(marked, { size, profiled: false })).toBe(marked);
    const thumbnail = Buffer.from("4a46494600010100000100010101ffeedd", "hex");
    const bare = bareJpeg(withSegment(jpeg, 0xe0, thumbnail), { size, profiled: false });
    expect(bare && Buffer.from(bare).includes(Buffer.from("ffeedd", "hex"))).toBe(false);
    expect(bare && (await pixelsOf(bare))).toEqual(await pixelsOf(jpeg));
  });

  test("is undefined for an unexpected size or a comment between scans", async () => {
    const jpeg = await drawing().jpeg({ progressive: true }).toBuffer();
    expect(bareJpeg(jpeg, { size: { width: 83, height: 60 }, profiled: false })).toBeUndefined();
    const second = jpeg.lastIndexOf(Buffer.of(0xff, 0xda));
    const comment = Buffer.of(0xff, 0xfe, 0, 4, 65, 66);
    const hidden = Buffer.concat([jpeg.subarray(0, second), comment, jpeg.subarray(second)]);
    expect(bareJpeg(hidden, { size, profiled: false })).toBeUndefined();
  });
});

test("a progressive JPEG with an invalid scan is not passed through", async () => {
  const jpeg = await drawing().jpeg({ progressive: true }).toBuffer();
  const wanted = { size, profiled: false };
  expect(bareJpeg(jpeg, wanted)).toBeDefined();
  const scans = [...jpeg.keys()].filter((at) => jpeg[at] === 0xff && jpeg[at + 1] === 0xda);
  expect(scans.length).toBeGreaterThan(3);
  for (const at of scans) {
    const bytes = Buffer.from(jpeg);
    bytes.writeUInt8(0xab, at + 1 + bytes.readUInt16BE(at + 2));
    expect(bareJpeg(bytes, wanted)).toBeUndefined();
  }
});

test("a PNG with a wrong chunk checksum is not passed through", async () => {
  const png = await drawing().png().toBuffer();
  const wanted = { size, profiled: false };
  expect(barePng(png, wanted)).toBeDefined();
  for (const type of ["IHDR", "IDAT", "IEND"]) {
    const bytes = Buffer.from(png);
    // The last byte of the chunk's checksum, or of its data.
    const at = bytes.indexOf(type) - 4;
    const end = at + 12 + bytes.readUInt32BE(at);
    bytes.writeUInt8((bytes[end - 1] ?? 0) ^ 1, end - 1);
    expect(barePng(bytes, wanted)).toBeUndefined();
  }
});

test("stripping corrupt files ends and adds at most 20 bytes", async () => {
  const files = [
    [bareJpeg, await drawing().withExif(exif).jpeg({ progressive: true }).toBuffer()],
    [barePng, await drawing().withExif(exif).png().toBuffer()],
  ] as const;
  const change = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...files), change, fc.nat(), ([bare, file], changes, cut) => {
      const bytes = Buffer.from(file.subarray(0, file.length - (cut % 3 === 0 ? cut % 99 : 0)));
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      const answer = bare(bytes, { size, profiled: true });
      expect(answer === undefined || answer.length <= bytes.length + 20).toBe(true);
    }),
    { numRuns: amount(2_000) },
  );
});

describe("real files", () => {
  if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

  test.each(
    corpusFiles("jpeg", "png", "webp", "photos").filter(
      ({ path, width = 0, height = 0 }) =>
        /\.(jpe?g|png|webp)$/.test(path) && width * height < 8_000_000,
    ),
  )("$path is rendered or returned with its own pixels and no metadata", async (file) => {
    const format = /png$/.test(file.path) ? "png" : /webp$/.test(file.path) ? "webp" : "jpg";
    const bytes = await (await fileReaderOf(corpusPath(file))).read(0, 2 ** 28);
    const answer = await answerOf(bytes, format).catch((error: unknown) => {
      // For a file that cannot even be examined there is no result.
      expect(error).toBeInstanceOf(ServerError);
      return undefined;
    });
    if (answer === undefined) return;
    const { exif, xmp, iptc } = await sharp(answer).metadata();
    expect([exif, xmp, iptc]).toEqual([undefined, undefined, undefined]);
    const bare = (input: Uint8Array): Promise<Buffer> =>
      sharp(input, { failOn: "none", ignoreIcc: true }).raw().toBuffer();
    expect((await bare(answer)).equals(await bare(bytes))).toBe(true);
  });
});

test("requests for GIF, TIFF and AVIF are rendered", async () => {
  const gif = await drawing().gif().toBuffer();
  const formats: readonly FormatName[] = ["gif", "tif", "avif"];
  for (const format of formats) expect(await answerOf(gif, "gif", { format })).toBeUndefined();
});
