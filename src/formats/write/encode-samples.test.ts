import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { planFor, testPicture, wholeFile } from "../../../test/drawing.ts";
import { difference, pixelsOf } from "../../../test/likeness.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { FormatName } from "../../core/formats.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Plan } from "../../core/plan.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { formatNamed } from "../registry.ts";
import { sniff } from "../sniff.ts";
import { createSampleEncoders, sampleEncodersHere } from "./samples/threads.ts";

const size = { width: 150, height: 100 };
const codecs = createCodecs(new Resources(new Config({ "processor.dpi": 72 })));
const { signal } = new AbortController();

const planOf = (file: Uint8Array, changes: Partial<Plan>): Plan =>
  planFor(wholeFile(file, size), changes);

const encode = (image: Sharp, plan: Plan): Promise<Uint8Array> =>
  formatNamed(plan.format)?.encoder?.encode(image, plan) ?? Promise.reject(new Error("no encoder"));

/** This server's own info of its output. */
const readBack = async (
  bytes: Uint8Array,
): Promise<{ readonly info: ImageInfo; readonly image: Sharp }> => {
  const reader = memoryReader(bytes);
  const format = await sniff(reader, signal);
  const { decoder } = format === undefined ? {} : await codecs(format);
  if (decoder === undefined) throw new Error("of no format that is read");
  const info = await decoder.info(reader, signal);
  const [page] = info.pages;
  const window = { page: 0, region: { x: 0, y: 0, ...page.size }, atLeast: page.size };
  const { image } = await decoder.read(reader, info, window, planOf(bytes, {}), signal);
  return { info, image };
};

const written = async (format: FormatName, encoding: Plan["encoding"] = {}) => {
  const file = await testPicture(size);
  const bytes = await encode(sharp(file), planOf(file, { format, encoding }));
  const { info, image } = await readBack(bytes);
  const shown = await pixelsOf(await image.png().toBuffer());
  return { bytes, info, shown, plain: await pixelsOf(file) };
};

describe.each(["jp2", "jxl"] as const)("a %s response", (format) => {
  it("is exact when lossless", async () => {
    const { info, shown, plain } = await written(format, { lossless: true });
    expect(info).toMatchObject({
      format,
      pages: [{ size, colour: { model: "rgb", bits: 8, alpha: false } }],
    });
    expect(difference(shown, plain).max).toBe(0);
  });

  it("is smaller and less accurate at a lower quality", async () => {
    const [good, bad] = [
      await written(format, { quality: 90 }),
      await written(format, { quality: 20 }),
    ];
    expect(good.bytes.length).toBeGreaterThan(bad.bytes.length);
    const [near, far] = [difference(good.shown, good.plain), difference(bad.shown, bad.plain)];
    expect(near.mean).toBeLessThan(far.mean);
    expect(near.mean).toBeLessThan(6);
  });

  it.each([true, false])("carries a profile (lossless: %s)", async (lossless) => {
    const wide = await inDisplayP3();
    const plan = planOf(wide, { format, encoding: { lossless, quality: 95 } });
    const bytes = await encode(sharp(wide, { ignoreIcc: false }).keepIccProfile(), plan);
    const { info, image } = await readBack(bytes);
    expect(info.pages[0].colour.profile).toBe("kept");
    const numbers = await sharp(await image.keepIccProfile().png().toBuffer(), { ignoreIcc: true })
      .png()
      .toBuffer();
    const { mean } = difference(await pixelsOf(numbers), await numbersOf(wide));
    expect(mean).toBeLessThan(lossless ? 1e-9 : 4);
  });

  it("keeps black and white exactly", async () => {
    const file = await testPicture(size);
    const bits = await sharp(file).toColourspace("b-w").threshold(128).png().toBuffer();
    const plan = planOf(file, { format, quality: "bitonal", encoding: { quality: 10 } });
    const { image } = await readBack(await encode(sharp(bits).toColourspace("b-w"), plan));
    const shown = await pixelsOf(await image.png().toBuffer());
    expect(difference(shown, await pixelsOf(bits)).max).toBe(0);
  });

  it("is the same when encoded in a thread", async () => {
    const file = await testPicture(size);
    const plan = planOf(file, { format, encoding: { quality: 60 } });
    const threads = createSampleEncoders(() => ({ threads: 1, ms: 20_000 }));
    try {
      const encoder = formatNamed(format)?.encoder;
      const there = await encoder?.encode(sharp(file), plan, signal, threads);
      expect(there).toEqual(await encode(sharp(file), plan));
    } finally {
      await threads.close();
    }
  });

  it("is cancelled by its signal", async () => {
    const file = await testPicture(size);
    const encoding = formatNamed(format)?.encoder?.encode(
      sharp(file),
      planOf(file, { format }),
      AbortSignal.abort(new Error("gone")),
    );
    await expect(encoding).rejects.toThrow("gone");
  });
});

describe("a grey jxl response with transparency", () => {
  it.each([true, false])("keeps 8-bit grey and transparency (lossless: %s)", async (lossless) => {
    const data = Uint8Array.from({ length: size.width * size.height * 2 }, (_, n) =>
      n % 2 === 0 ? (n / 2) % size.width : 255 - Math.floor(n / 2 / size.width),
    );
    const grey = await sharp(data, { raw: { ...size, channels: 2 } })
      .toColourspace("b-w")
      .png()
      .toBuffer();
    const plan = planOf(grey, { format: "jxl", encoding: { lossless, quality: 90 } });
    const bytes = await encode(sharp(grey).toColourspace("b-w"), plan);
    const { info, image } = await readBack(bytes);
    expect(info.pages[0].colour).toMatchObject({ model: "grey", bits: 8, alpha: true });
    const shown = await pixelsOf(await image.png().toBuffer(), { alpha: true });
    const { mean } = difference(shown, await pixelsOf(grey, { alpha: true }));
    expect(mean).toBeLessThan(lossless ? 1e-9 : 3);
  });

  it("keeps 16-bit grey and transparency", async () => {
    const data = Uint16Array.from({ length: size.width * size.height * 2 }, (_, n) =>
      n % 2 === 0 ? n * 2 : 65_535 - n,
    );
    const grey = await sharp(data, { raw: { ...size, channels: 2 } })
      .toColourspace("grey16")
      .tiff({ compression: "none" })
      .toBuffer();
    const plan = planOf(grey, { format: "jxl", encoding: { lossless: true } });
    const bytes = await encode(sharp(grey).toColourspace("grey16"), plan);
    const { info, image } = await readBack(bytes);
    expect(info.pages[0].colour).toMatchObject({ model: "grey", bits: 16, alpha: true });
    const samples = await image.toColourspace("grey16").raw({ depth: "ushort" }).toBuffer();
    expect(Buffer.compare(samples, Buffer.from(data.buffer))).toBe(0);
  });
});

describe("a jp2 response", () => {
  const grey = (channels: 1 | 2, bits: 8 | 16): Promise<Uint8Array> => {
    const numbers = Array.from({ length: size.width * size.height * channels }, (_, n) => n * 3);
    const data = bits === 8 ? Uint8Array.from(numbers) : Uint16Array.from(numbers);
    return sharp(data, { raw: { ...size, channels } })
      .toColourspace(bits === 8 ? "b-w" : "grey16")
      .tiff({ compression: "none" })
      .toBuffer();
  };
  const lossless = { format: "jp2", encoding: { lossless: true } } as const;

  it("keeps 16-bit grey", async () => {
    const file = await grey(1, 16);
    const bytes = await encode(sharp(file).toColourspace("grey16"), planOf(file, lossless));
    const { info, image } = await readBack(bytes);
    expect(info.pages[0].colour).toMatchObject({ model: "grey", bits: 16, alpha: false });
    const samples = await image.toColourspace("grey16").raw({ depth: "ushort" }).toBuffer();
    const wanted = Uint16Array.from({ length: size.width * size.height }, (_, n) => n * 3);
    expect(Buffer.compare(samples, Buffer.from(wanted.buffer))).toBe(0);
  });

  it("of 16-bit grey is larger at a higher quality", async () => {
    const file = await grey(1, 16);
    const of = async (quality: number) => {
      const plan = planOf(file, { format: "jp2", encoding: { quality } });
      return (await encode(sharp(file).toColourspace("grey16"), plan)).length;
    };
    expect(await of(95)).toBeGreaterThan(await of(30));
  });

  it("keeps the transparency of colour images", async () => {
    const plain = await testPicture(size);
    const file = await sharp(plain).ensureAlpha(0.4).png().toBuffer();
    const { info, image } = await readBack(await encode(sharp(file), planOf(file, lossless)));
    expect(info.pages[0].colour).toMatchObject({ model: "rgb", bits: 8, alpha: true });
    const shown = await pixelsOf(await image.png().toBuffer(), { alpha: true });
    expect(difference(shown, await pixelsOf(file, { alpha: true })).max).toBe(0);
  });

  it.each([
    ["grey with transparency of 8 bits", 2, 8, "b-w"],
    ["grey with transparency of 16 bits", 2, 16, "grey16"],
    ["colours of 16 bits", 1, 16, "rgb16"],
  ] as const)(
    "of %s is rejected with a message that names it",
    async (name, channels, bits, space) => {
      const file = await grey(channels, bits);
      await expect(
        encode(sharp(file).toColourspace(space), planOf(file, lossless)),
      ).rejects.toMatchObject({ failure: "unimplemented", message: expect.stringContaining(name) });
    },
  );

  it("is rejected when it would take too much memory", async () => {
    const of = { width: 9_000, height: 9_000, samples: 1, bits: 8 } as const;
    const picture = { ...of, data: new Uint8Array() };
    const job = { kind: "jpeg2000", picture, bits: 8, ratio: 0 } as const;
    await expect(sampleEncodersHere().run(job, signal)).rejects.toMatchObject({
      failure: "malformed",
      message: expect.stringContaining("an image this large"),
    });
  });
});

describe("a pdf response", () => {
  it("is one page of the image's size that shows the image", async () => {
    const { bytes, info, shown, plain } = await written("pdf", { quality: 95, dpi: 72 });
    expect(Buffer.from(bytes).toString("latin1")).toMatch(/^%PDF-1\.4\n[\s\S]*\n%%EOF\n$/);
    expect(info).toMatchObject({ format: "pdf", pages: [{ size }] });
    expect(difference(shown, plain).mean).toBeLessThan(6);
  });

  it("has correct offsets of its cross-reference table and objects", async () => {
    const { bytes } = await written("pdf");
    const text = Buffer.from(bytes).toString("latin1");
    const table = text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1]));
    const places = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
    expect(places.length).toBe(5);
    for (const [index, at] of places.entries())
      expect(text.slice(at, at + 8)).toBe(`${index + 1} 0 obj\n`);
  });

  it("halves the page at twice the resolution and uses UserUnit for a large one", async () => {
    expect(boxOf((await written("pdf", { dpi: 144 })).bytes)).toBe("0 0 75 50");
    const huge = Buffer.from((await written("pdf", { dpi: 0.5 })).bytes).toString("latin1");
    expect(huge).toContain("/MediaBox [0 0 10800 7200] /UserUnit 2 ");
  });

  it("keeps grey as grey, and a profile", async () => {
    const file = await testPicture(size);
    const text = async (image: Sharp) =>
      Buffer.from(await encode(image, planOf(file, { format: "pdf" }))).toString("latin1");
    expect(await text(sharp(file).toColourspace("b-w"))).toContain("/ColorSpace /DeviceGray");
    const profiled = await text(sharp(await inDisplayP3()).keepIccProfile());
    expect(profiled).toContain("/ColorSpace [/ICCBased 6 0 R]");
    expect(profiled).toContain("<< /N 3 /Alternate /DeviceRGB /Length ");
  });

  it("stores black and white as single bits without loss", async () => {
    const file = await testPicture(size);
    const bits = await sharp(file).toColourspace("b-w").threshold(128).png().toBuffer();
    const plan = planOf(file, { format: "pdf", quality: "bitonal", encoding: { dpi: 72 } });
    const bytes = await encode(sharp(bits).toColourspace("b-w"), plan);
    expect(Buffer.from(bytes).toString("latin1")).toContain(
      "/BitsPerComponent 1 /Filter /FlateDecode",
    );
    const { image } = await readBack(bytes);
    const shown = await pixelsOf(await image.png().toBuffer());
    expect(difference(shown, await pixelsOf(bits)).mean).toBeLessThan(0.01);
  });
});

const boxOf = (bytes: Uint8Array): string | undefined =>
  /\/MediaBox \[([^\]]*)\]/.exec(Buffer.from(bytes).toString("latin1"))?.[1];

const inDisplayP3 = async (): Promise<Uint8Array> =>
  sharp(await testPicture(size))
    .withIccProfile("p3")
    .tiff({ compression: "none" })
    .toBuffer();

/** Its samples, without interpretation. */
const numbersOf = async (file: Uint8Array) =>
  pixelsOf(await sharp(file, { ignoreIcc: true }).png().toBuffer());
