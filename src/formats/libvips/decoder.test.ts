import sharp, { type WebpOptions } from "sharp";
import { describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { decodingKeys } from "../shared/keys.ts";
import { orientationInXmp } from "../shared/orientation.ts";
import { createVipsDecoder } from "./decoder.ts";
import { readingFailed } from "./failure.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);

const picture = (channels: 3 | 4 = 3) =>
  sharp({
    create: { width: 30, height: 20, channels, background: { r: 9, g: 99, b: 199, alpha: 0.5 } },
  });

const profiled = (options: WebpOptions) => picture().withIccProfile("p3").webp(options);

describe("the info of an image", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
    "has the Exif orientation %i and the stored size",
    async (orientation) => {
      for (const [format, written] of [
        ["jpg", picture().jpeg()],
        ["png", picture().png()],
        ["webp", picture().webp()],
      ] as const) {
        const bytes = await written.withMetadata({ orientation }).toBuffer();
        const { pages } = await createVipsDecoder(format, settings).info(
          memoryReader(bytes),
          signal,
        );
        expect(pages[0].orientation).toBe(orientation);
        expect(pages[0].size).toEqual({ width: 30, height: 20 });
      }
    },
  );

  test("has depth, model and transparency", async () => {
    const deep = await picture(4).toColourspace("rgb16").png().toBuffer();
    const { pages } = await createVipsDecoder("png", settings).info(memoryReader(deep), signal);
    expect(pages[0].colour).toEqual({ bits: 16, model: "rgb", alpha: true, profile: "none" });
    const cmyk = await picture().toColourspace("cmyk").jpeg().toBuffer();
    const info = await createVipsDecoder("jpg", settings).info(memoryReader(cmyk), signal);
    expect(info.pages[0].colour).toMatchObject({ bits: 8, model: "cmyk", alpha: false });
  });

  test.each([
    [
      "of a JPEG with full chroma",
      "jpg",
      picture().jpeg({ chromaSubsampling: "4:4:4" }),
      "accuracy",
    ],
    ["of a JPEG with subsampled chroma", "jpg", picture().jpeg(), undefined],
    ["of a grey JPEG", "jpg", picture().toColourspace("b-w").jpeg(), "accuracy"],
    ["of a lossless WebP", "webp", picture().webp({ lossless: true }), "none"],
    ["of a lossless WebP with a profile", "webp", profiled({ lossless: true }), "none"],
    ["of a lossy WebP", "webp", picture().webp(), undefined],
    ["of a PNG", "png", picture().png(), undefined],
  ] as const)("has the losses %s", async (_, format, written, losses) => {
    const reader = memoryReader(await written.toBuffer());
    const info = await createVipsDecoder(format, settings).info(reader, signal);
    expect(info.losses).toBe(losses);
  });

  test("has the frames of an animation as pages, each with its own pixels", async () => {
    const frames = await Promise.all(
      ["#ff0000", "#0000ff"].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const bytes = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const decoder = createVipsDecoder("gif", settings);
    const reader = memoryReader(bytes);
    const info = await decoder.info(reader, signal);
    expect(info.pages.map(({ size }) => size)).toEqual([
      { width: 8, height: 8 },
      { width: 8, height: 8 },
    ]);
    const region = { x: 0, y: 0, width: 8, height: 8 };
    const window = { page: 1, region, atLeast: region };
    const { image, covers } = await decoder.read(reader, info, window, plan, signal);
    expect(covers).toEqual(region);
    const { data } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)]).toEqual([0, 0, 255]);
  });
});

test("XMP gives the orientation as an attribute or as an element", () => {
  const said = (text: string) => orientationInXmp(Buffer.from(text));
  expect(said('<rdf:Description tiff:Orientation="6"/>')).toBe(6);
  expect(said("<tiff:Orientation>3</tiff:Orientation>")).toBe(3);
  expect(said('<rdf:Description tiff:Orientation="9"/>')).toBe(1);
  expect(said("")).toBe(1);
  expect(orientationInXmp(undefined)).toBe(1);
});

describe("an image is refused", () => {
  const decoded = async (bytes: Uint8Array): Promise<Buffer> => {
    const decoder = createVipsDecoder("jpg", settings);
    const reader = memoryReader(bytes);
    const info = await decoder.info(reader, signal);
    const region = { x: 0, y: 0, ...info.pages[0].size };
    const raster = await decoder.read(
      reader,
      info,
      { page: 0, region, atLeast: region },
      plan,
      signal,
    );
    return raster.image.raw().toBuffer();
  };

  test("when it is truncated, rather than half shown", async () => {
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        noise: { type: "gaussian", mean: 128, sigma: 60 },
        background: "#000",
      },
    })
      .jpeg()
      .toBuffer();
    await expect(decoded(noise.subarray(0, noise.length >> 1))).rejects.toThrow();
    const failure = await decoded(noise.subarray(0, noise.length >> 1)).catch((error: unknown) =>
      readingFailed(error, "JPEG"),
    );
    expect(failure).toMatchObject({
      failure: "unreadable",
      message: "Expected a JPEG image; the file ends too early.",
    });
  });

  test("when it would exceed the memory limit of an image", async () => {
    const small = new Config({ "processor.max_decoded_bytes": 1_048_576 }).view(decodingKeys);
    const bytes = await sharp({
      create: { width: 1_000, height: 1_000, channels: 3, background: "#123" },
    })
      .webp()
      .toBuffer();
    await expect(
      createVipsDecoder("webp", small).info(memoryReader(bytes), signal),
    ).rejects.toThrow(/at most 1048576 bytes once decoded; this one takes 4000000/);
  });

  test("when it is an SVG and SVG is disabled", async () => {
    const reader = memoryReader(
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'/>"),
    );
    const infoWith = async (values: Record<string, unknown>) => {
      const { decoder } = await createCodecs(new Resources(new Config(values)))("svg");
      return decoder?.info(reader, signal);
    };
    await expect(infoWith({})).rejects.toThrow(
      "Cannot read SVG here: processor.svg.enabled is not switched on",
    );
    expect((await infoWith({ "processor.svg.enabled": true }))?.pages[0].size).toEqual({
      width: 8,
      height: 6,
    });
  });
});

test("an error of the image library is not passed on, as it may name files", () => {
  const failure = readingFailed(new Error("Input file is missing: /srv/pictures/a.jpg"), "JPEG");
  expect(failure.message).not.toContain("/srv");
  expect(failure.failure).toBe("unreadable");
  expect(readingFailed(new Error("timeout: 50% complete"), "JPEG").failure).toBe("late");
});

test("the format is named with its article", () => {
  expect(readingFailed(new Error("unexpected end of file"), "AVIF").message).toBe(
    "Expected an AVIF image; the file ends too early.",
  );
});
