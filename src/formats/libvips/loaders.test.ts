import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createVipsDecoder } from "./decoder.ts";
import type { VipsFormat } from "./description.ts";
import { checkLoader } from "./input.ts";
import { open } from "./opening.ts";
import { prepareVips } from "./setup.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);

const drawing = () => sharp({ create: { width: 30, height: 20, channels: 3, background: "#369" } });

const written: Readonly<Record<"jpg" | "png" | "gif" | "webp" | "avif", () => Promise<Buffer>>> = {
  jpg: () => drawing().jpeg().toBuffer(),
  png: () => drawing().png().toBuffer(),
  gif: () => drawing().gif().toBuffer(),
  webp: () => drawing().webp().toBuffer(),
  avif: () => drawing().avif({ effort: 0 }).toBuffer(),
};
const names = ["jpg", "png", "gif", "webp", "avif"] as const;

let folder: string;

beforeAll(async () => {
  prepareVips();
  folder = await mkdtemp(join(tmpdir(), "vitrine-loaders-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the loader of libvips", () => {
  test.each(names)("of %s accepts no other format", async (format) => {
    for (const other of names) {
      const bytes = await written[other]();
      const decoder = createVipsDecoder(format, settings);
      const info = decoder.info(memoryReader(bytes), signal);
      if (other === format) expect((await info).pages[0].size).toEqual({ width: 30, height: 20 });
      else await expect(info).rejects.toMatchObject({ failure: "unreadable" });
      const check = () => checkLoader(format, bytes);
      if (other === format) expect(check).not.toThrow();
      else expect(check).toThrow(/the data is in another format/);
    }
  });

  test("refuses a large file of another format, which it opens by itself", async () => {
    const path = join(folder, "large.jpg");
    const png = Buffer.concat([await written.png(), Buffer.alloc(5_000_000)]);
    await writeFile(path, png);
    const reader = { ...memoryReader(png), path };
    await expect(createVipsDecoder("jpg", settings).info(reader, signal)).rejects.toMatchObject({
      failure: "unreadable",
      message: "Expected a JPEG image; the data is in another format.",
    });
    expect((await createVipsDecoder("png", settings).info(reader, signal)).format).toBe("png");
  });

  test("accepts embedded files, such as the tiles of a TIFF, only in the expected format", async () => {
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'/>");
    for (const bytes of [svg, await written.png()])
      expect(() => open(bytes, { as: "tif", options: {}, seconds: 1 })).toThrow(
        "Expected a TIFF image; the data is in another format.",
      );
  });
});

describe("libvips' other loaders stay blocked", () => {
  const ppm = Buffer.from("P6\n2 2\n255\n000000000000");
  const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'/>");
  const radiance = Buffer.from("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x80\x80\x80");
  const files = [
    ["a portable pixmap", ppm],
    ["an SVG document", svg],
    ["a Radiance picture", radiance],
    ["a PDF document", Buffer.from("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n")],
    ["comma-separated values", Buffer.from("1,2,3\n4,5,6\n")],
  ] as const;

  test.each(files)("%s", async (_, bytes) => {
    await expect(sharp(bytes).toBuffer()).rejects.toThrow(/unsupported image format/);
    const path = join(folder, "file.png");
    await writeFile(path, bytes);
    await expect(sharp(path).toBuffer()).rejects.toThrow(/unsupported image format/);
    for (const format of names satisfies readonly VipsFormat[])
      await expect(
        createVipsDecoder(format, settings).info(memoryReader(bytes), signal),
      ).rejects.toMatchObject({ failure: "unreadable" });
  });

  test("and stay so behind the first bytes of another", async () => {
    // A reader lenient about leading bytes would find a drawing here.
    const bytes = Buffer.concat([Buffer.from("GIF89a"), svg]);
    await expect(
      createVipsDecoder("gif", settings).info(memoryReader(bytes), signal),
    ).rejects.toMatchObject({ failure: "unreadable" });
  });
});

test("a JPEG of more than 8 bits is refused by name before it is decoded", async () => {
  const jpeg = await written.jpg();
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  const refusal = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(jpeg);
    change(bytes);
    return createVipsDecoder("jpg", settings)
      .info(memoryReader(bytes), signal)
      .then(
        () => "read",
        (error: Error) => error.message,
      );
  };
  expect(await refusal(() => {})).toBe("read");
  expect(await refusal((bytes) => bytes.writeUInt8(12, frame + 4))).toMatch(/this one has 12/);
});
