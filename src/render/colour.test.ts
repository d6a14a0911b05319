import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { type Drawable, drawn, testPicture, wholeFile } from "../../test/drawing.ts";
import { difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import type { FormatName } from "../core/formats.ts";
import { upright } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";

const size = { width: 90, height: 61 };
const half = { width: 45, height: 31 };

const at = ({ data, width, channels }: Pixels, x: number, y: number): readonly number[] =>
  Array.from(data.subarray((y * width + x) * channels, (y * width + x + 1) * channels));

const facts = async (encoded: Uint8Array) => {
  const { channels, depth, space, hasAlpha, icc, bitsPerSample } = await sharp(encoded).metadata();
  return { channels, depth, space, hasAlpha, icc, bitsPerSample };
};

const rgb = async (): Promise<Drawable> => wholeFile(await testPicture(size), size);

const grey = async (): Promise<Drawable> =>
  wholeFile(
    await sharp(await testPicture(size))
      .greyscale()
      .toColourspace("b-w")
      .png()
      .toBuffer(),
    size,
    { colour: { model: "grey" } },
  );

const p3 = async (): Promise<Drawable> =>
  wholeFile(
    await sharp(await testPicture(size))
      .withIccProfile("p3")
      .tiff({ compression: "none" })
      .toBuffer(),
    size,
    {
      colour: { profile: "kept" },
    },
  );

const cmyk = async (): Promise<Drawable> =>
  wholeFile(
    await sharp(await testPicture(size))
      .toColourspace("cmyk")
      .withIccProfile("cmyk")
      .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
      .toBuffer(),
    size,
    { colour: { model: "cmyk", profile: "converted" } },
  );

/** Red, the left half transparent; the transparent pixels are green. */
const clear = async (): Promise<Drawable> => {
  const data = Buffer.alloc(size.width * size.height * 4);
  for (let n = 0; n < size.width * size.height; n++)
    data.set(n % size.width < 45 ? [0, 255, 0, 0] : [255, 0, 0, 255], n * 4);
  const file = sharp(data, { raw: { ...size, channels: 4 } }).png();
  return wholeFile(await file.toBuffer(), size, { colour: { alpha: true } });
};

/** A ramp in steps of less than one 255th. */
const deep = async (): Promise<Drawable> => {
  const data = new Uint16Array(size.width * size.height * 3);
  for (let n = 0; n < data.length; n++) data[n] = 30_000 + (Math.floor(n / 3) % size.width);
  const file = sharp(data, { raw: { ...size, channels: 3 } })
    .toColourspace("rgb16")
    .png();
  return wholeFile(await file.toBuffer(), size, { colour: { bits: 16 } });
};

const lossless: readonly FormatName[] = ["png", "tif"];

describe("profiles", () => {
  it("of RGB pages are copied, and the samples are unchanged", async () => {
    const source = await p3();
    for (const format of ["png", "tif", "jpg", "webp", "avif"] as const) {
      const answer = await drawn(source, {
        format,
        ...(format === "webp" && { encoding: { lossless: true } }),
      });
      expect((await facts(answer)).icc, format).toBeDefined();
    }
    const bare = async (file: Uint8Array) =>
      sharp(file, { ignoreIcc: true }).removeAlpha().raw().toBuffer();
    const stored = await sharp(await testPicture(size))
      .withIccProfile("p3")
      .tiff({ compression: "none" })
      .toBuffer();
    expect(await bare(await drawn(source))).toEqual(await bare(stored));
  });

  it("survive intermediate rendering", async () => {
    const answer = await drawn(await p3(), { rotation: 30, sharpen: 1, mirror: true, size: half });
    expect((await facts(answer)).icc).toBeDefined();
  });

  it("are applied where everything is converted to sRGB", async () => {
    const answer = await drawn(await p3(), { colour: "srgb" });
    expect((await facts(answer)).icc).toBeUndefined();
    const shown = await pixelsOf(answer);
    expect(difference(shown, await pixelsOf(await testPicture(size))).mean).toBeLessThan(4);
  });

  it("are applied where the output format cannot hold them", async () => {
    const answer = await pixelsOf(await drawn(await p3(), { format: "gif" }));
    const converted = await drawn(await p3(), { format: "gif", colour: "srgb" });
    expect(difference(answer, await pixelsOf(converted)).max).toBe(0);
  });

  it("of CMYK pages are always applied", async () => {
    for (const changes of [{}, { size: half }, { rotation: 20 }, { colour: "srgb" } as const]) {
      const answer = await drawn(await cmyk(), changes);
      expect(await facts(answer)).toMatchObject({ icc: undefined, space: "srgb" });
    }
    const shown = await pixelsOf(await drawn(await cmyk()));
    expect(difference(shown, await pixelsOf(await testPicture(size))).mean).toBeLessThan(30);
  });

  it("are dropped together with the colours they describe", async () => {
    const answer = await drawn(await p3(), { quality: "gray" });
    expect(await facts(answer)).toMatchObject({ icc: undefined, channels: 1 });
  });
});

describe("16 bits", () => {
  it("are preserved in PNG and TIFF if configured", async () => {
    for (const format of lossless)
      for (const changes of [{}, { size: half }, { rotation: 90, mirror: true }, { sharpen: 1 }]) {
        const answer = await drawn(await deep(), { format, deep: true, ...changes });
        expect(await facts(answer)).toMatchObject({ depth: "ushort", channels: 3 });
      }
    const samples = await sharp(await drawn(await deep(), { deep: true }))
      .toColourspace("rgb16")
      .raw({ depth: "ushort" })
      .toBuffer();
    expect(samples.readUInt16LE(0)).toBe(30_000);
    expect(samples.readUInt16LE(6)).toBe(30_001);
  });

  it("become 8 otherwise", async () => {
    for (const format of ["png", "tif", "jpg", "webp", "gif"] as const) {
      const answer = await drawn(await deep(), { format });
      expect((await facts(answer)).depth).toBe("uchar");
      const [r = 0] = at(await pixelsOf(answer), 10, 10);
      expect(Math.abs(r - 30_000 / 257)).toBeLessThan(3);
    }
  });

  it("are preserved in grey", async () => {
    const answer = await drawn(await deep(), { deep: true, quality: "gray", format: "tif" });
    expect(await facts(answer)).toMatchObject({ depth: "ushort", channels: 1 });
  });

  it("in sRGB match what their profile says", async () => {
    const wide = await sharp(await testPicture(size))
      .withIccProfile("p3")
      .toColourspace("rgb16")
      .tiff({ compression: "none" })
      .toBuffer();
    const drawable = wholeFile(wide, size, { colour: { bits: 16, profile: "kept" } });
    const plain = await pixelsOf(await testPicture(size));
    for (const changes of [{ deep: true }, { deep: false }]) {
      const answer = await drawn(drawable, { colour: "srgb", ...changes });
      expect((await facts(answer)).icc).toBeUndefined();
      expect(difference(await pixelsOf(answer), plain).mean).toBeLessThan(4);
    }
  });
});

describe("transparency", () => {
  it("is preserved if the format supports it, and clear pixels do not bleed into neighbours", async () => {
    for (const format of ["png", "tif", "webp", "avif"] as const) {
      const changes = {
        format,
        size: half,
        ...(format === "webp" && { encoding: { lossless: true } }),
      };
      const shown = await pixelsOf(await drawn(await clear(), changes), { alpha: true });
      expect(at(shown, 5, 5)[3], format).toBe(0);
      expect(at(shown, 40, 5)[3], format).toBe(255);
      const [r = 0, g = 0] = at(shown, 23, 15);
      expect(r - g, format).toBeGreaterThan(100);
    }
  });

  it("shows the background if the format has none", async () => {
    const changes = {
      background: [20, 40, 240] as const,
      encoding: { quality: 100, subsampling: "4:4:4" },
    };
    for (const more of [{}, { size: half }, { rotation: 180 }, { linear: true, size: half }]) {
      const shown = await pixelsOf(
        await drawn(await clear(), { format: "jpg", ...changes, ...more }),
      );
      const left = "rotation" in more ? shown.width - 6 : 5;
      const [r = 0, g = 0, b = 0] = at(shown, left, 5);
      expect(Math.abs(r - 20) + Math.abs(g - 40) + Math.abs(b - 240)).toBeLessThan(12);
    }
    const tiff = { format: "tif", encoding: { compression: "jpeg", quality: 95 } } as const;
    expect((await facts(await drawn(await clear(), tiff))).hasAlpha).toBe(false);
  });
});

describe("grey", () => {
  it("pages stay grey in every format that supports it", async () => {
    for (const format of ["jpg", "png", "tif"] as const)
      for (const changes of [{}, { size: half }, { rotation: 90 }, { sharpen: 1 }])
        expect((await facts(await drawn(await grey(), { format, ...changes }))).channels).toBe(1);
  });

  it("is the luma of the colours", async () => {
    for (const format of ["jpg", "png", "tif", "gif", "webp", "avif"] as const) {
      const shown = await pixelsOf(await drawn(await rgb(), { format, quality: "gray" }));
      const colours = await pixelsOf(await testPicture(size));
      let off = 0;
      for (let n = 0; n < colours.data.length; n += 3) {
        const [r = 0, g = 0, b = 0] = colours.data.subarray(n, n + 3);
        off += Math.abs((shown.data[n] ?? 0) - (0.2126 * r + 0.7152 * g + 0.0722 * b));
        expect(Math.abs((shown.data[n] ?? 0) - (shown.data[n + 1] ?? 0))).toBeLessThan(5);
      }
      expect(off / (colours.data.length / 3), format).toBeLessThan(5);
    }
  });

  it("keeps white white and black black", async () => {
    for (const shade of [0, 255]) {
      const flat = sharp({
        create: { ...size, channels: 3, background: { r: shade, g: shade, b: shade } },
      });
      const shown = await pixelsOf(
        await drawn(wholeFile(await flat.png().toBuffer(), size), { quality: "gray" }),
      );
      expect(at(shown, 7, 7)).toEqual([shade, shade, shade]);
    }
  });
});

describe("bitonal", () => {
  it("uses one bit of one channel in PNG and TIFF", async () => {
    for (const compression of ["lzw", "deflate", "none", "packbits"]) {
      const answer = await drawn(await rgb(), {
        quality: "bitonal",
        format: "tif",
        encoding: { compression },
      });
      expect(await facts(answer)).toMatchObject({ channels: 1, bitsPerSample: 1 });
    }
    const answer = await drawn(await rgb(), { quality: "bitonal" });
    expect(await facts(answer)).toMatchObject({ channels: 1, bitsPerSample: 1 });
  });

  it.each(["jpg", "png", "tif", "gif", "webp", "avif"] as const)(
    "is black and white as %s, from every kind of page",
    async (format) => {
      for (const make of [rgb, grey, p3, cmyk, deep, clear]) {
        const changes: Partial<Plan> = { quality: "bitonal", format, size: half };
        const { data } = await pixelsOf(await drawn(await make(), changes));
        const between = data.filter((value) => value > 15 && value < 240).length;
        expect(between / data.length, make.name).toBeLessThan(
          format === "jpg" || format === "webp" || format === "avif" ? 0.2 : 1e-9,
        );
      }
    },
  );

  it("is white from half of the luma range up", async () => {
    const shown = await pixelsOf(await drawn(await rgb(), { quality: "bitonal" }));
    const shades = await pixelsOf(await drawn(await rgb(), { quality: "gray" }));
    for (let n = 0; n < shown.data.length; n++)
      expect(shown.data[n]).toBe((shades.data[n] ?? 0) >= 128 ? 255 : 0);
  });
});

describe("linear light", () => {
  /** Columns of black and white in turn: half the light. */
  const stripes = async (model: "rgb" | "grey"): Promise<Drawable> => {
    const channels = model === "rgb" ? 3 : 1;
    const data = Buffer.alloc(64 * 64 * channels);
    for (let n = 0; n < 64 * 64; n++) data.fill(n % 2 ? 255 : 0, n * channels, (n + 1) * channels);
    const file = sharp(data, { raw: { width: 64, height: 64, channels } });
    const drawable = channels === 1 ? file.toColourspace("b-w") : file;
    return wholeFile(
      await drawable.png().toBuffer(),
      { width: 64, height: 64 },
      { colour: { model } },
    );
  };

  it.each(["rgb", "grey"] as const)("preserves the brightness of fine %s detail", async (model) => {
    const small = { size: { width: 16, height: 16 } };
    const [linear = 0] = at(
      await pixelsOf(await drawn(await stripes(model), { ...small, linear: true })),
      8,
      8,
    );
    const [plain = 0] = at(await pixelsOf(await drawn(await stripes(model), small)), 8, 8);
    expect(Math.abs(linear - 188)).toBeLessThan(4);
    expect(Math.abs(plain - 128)).toBeLessThan(4);
  });

  it("changes nothing without downscaling", async () => {
    const large = { size: { width: 180, height: 122 } };
    expect(await drawn(await rgb(), { ...large, linear: true })).toEqual(
      await drawn(await rgb(), large),
    );
  });

  it("works with profiles, conversion, transparency, rotation and tone", async () => {
    for (const make of [rgb, grey, p3, cmyk, deep])
      for (const quality of ["default", "gray", "bitonal"] as const) {
        const changes: Partial<Plan> = { size: half, rotation: 90, mirror: true, quality };
        const linear = await pixelsOf(await drawn(await make(), { ...changes, linear: true }));
        const plain = await pixelsOf(await drawn(await make(), changes));
        expect(difference(linear, plain).mean, `${make.name} ${quality}`).toBeLessThan(
          quality === "bitonal" ? 60 : 14,
        );
      }
  });
});

describe("a response", () => {
  const stored = async (orientation: number): Promise<Sharp> =>
    sharp(await testPicture(size)).withMetadata({ orientation });
  const files: readonly (readonly [string, (image: Sharp) => Promise<Uint8Array>])[] = [
    ["JPEG", (image) => image.jpeg({ quality: 95 }).toBuffer()],
    ["PNG", (image) => image.png().toBuffer()],
    ["WebP", (image) => image.webp({ lossless: true }).toBuffer()],
    ["TIFF", (image) => image.tiff({ compression: "none" }).toBuffer()],
  ];
  const shown: readonly FormatName[] = ["jpg", "png", "tif", "gif", "webp", "avif"];
  const requests: readonly Partial<Plan>[] = [
    {},
    { rotation: 90 },
    { rotation: 270, mirror: true },
    { crop: { x: 10, y: 5, width: 40, height: 30 }, size: { width: 20, height: 15 } },
  ];

  it.each(files)("is upright by its pixels alone, from a %s", async (_, make) => {
    for (const orientation of [2, 3, 4, 5, 6, 7, 8] as const) {
      const file = await make(await stored(orientation));
      const drawable = wholeFile(file, size, { orientation });
      const flat = wholeFile(
        await sharp(file).autoOrient().png().toBuffer(),
        upright(size, orientation),
      );
      for (const request of requests) {
        const wanted = await pixelsOf(await drawn(flat, request));
        for (const format of shown) {
          const name = `${orientation} as ${format}, ${JSON.stringify(request)}`;
          const bytes = await drawn(drawable, { ...request, format });
          // Viewers apply any orientation that a file contains.
          const turned = await pixelsOf(await sharp(bytes).autoOrient().png().toBuffer());
          expect([turned.width, turned.height], name).toEqual([wanted.width, wanted.height]);
          expect(difference(turned, wanted).mean, name).toBeLessThan(14);
        }
      }
    }
  });

  it.each([...shown, "jp2", "jxl", "pdf"] as const)(
    "as %s has no orientation tag",
    async (format) => {
      for (const orientation of [2, 5, 6] as const) {
        const file = await (await stored(orientation))
          .withXmp(xmpOf(orientation))
          .jpeg()
          .toBuffer();
        const bytes = await drawn(wholeFile(file, size, { orientation }), { format });
        const text = Buffer.from(bytes).toString("latin1");
        expect(text).not.toMatch(/Exif|eXIf|tiff:Orientation|irot|imir/);
      }
    },
  );

  const xmpOf = (orientation: number): string =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="${orientation}"/></rdf:RDF></x:xmpmeta>`;
});
