import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { planFor, testPicture, wholeFile } from "../../../test/drawing.ts";
import { difference, pixelsOf } from "../../../test/likeness.ts";
import type { FormatName } from "../../core/formats.ts";
import type { Plan } from "../../core/plan.ts";
import { writesAlpha, writesDeep, writesProfile } from "../fidelity.ts";
import { formatNamed } from "../registry.ts";

const size = { width: 120, height: 80 };

const encode = async (
  format: FormatName,
  encoding: Plan["encoding"] = {},
  changes: Partial<Plan> = {},
): Promise<Uint8Array> => {
  const file = await testPicture(size);
  const plan = planFor(wholeFile(file, size), { format, encoding, ...changes });
  return formatNamed(format)?.encoder?.encode(sharp(file), plan) ?? new Uint8Array();
};

const starts: Readonly<Partial<Record<FormatName, string>>> = {
  jpg: "ffd8ff",
  png: "89504e47",
  tif: "49492a00",
  gif: "47494638",
  webp: "52494646",
  avif: "0000",
};

describe.each(["jpg", "png", "tif", "gif", "webp", "avif"] as const)("a %s response", (format) => {
  it("has the signature of its format and looks like the source", async () => {
    const bytes = await encode(format);
    expect(
      Buffer.from(bytes)
        .toString("hex")
        .startsWith(starts[format] ?? "?"),
    ).toBe(true);
    const shown = await pixelsOf(bytes);
    const { mean } = difference(shown, await pixelsOf(await testPicture(size)));
    expect(mean).toBeLessThan(format === "png" || format === "tif" ? 1e-9 : 14);
  });
});

describe("lower quality", () => {
  it.each(["jpg", "webp", "avif"] as const)(
    "makes %s files smaller and less accurate",
    async (format) => {
      const plain = await pixelsOf(await testPicture(size));
      const [good, bad] = [
        await encode(format, { quality: 95 }),
        await encode(format, { quality: 20 }),
      ];
      expect(good.length).toBeGreaterThan(bad.length);
      expect(difference(await pixelsOf(good), plain).mean).toBeLessThan(
        difference(await pixelsOf(bad), plain).mean,
      );
    },
  );
});

describe("JPEG", () => {
  it("is progressive only when requested", async () => {
    for (const progressive of [true, false])
      expect(await sharp(await encode("jpg", { progressive })).metadata()).toMatchObject({
        isProgressive: progressive,
      });
  });

  it("has the requested chroma subsampling and tables", async () => {
    for (const subsampling of ["4:2:0", "4:4:4"])
      expect(await sharp(await encode("jpg", { subsampling })).metadata()).toMatchObject({
        chromaSubsampling: subsampling,
      });
    expect(await encode("jpg", { table: 0 })).not.toEqual(await encode("jpg", { table: 3 }));
    expect((await encode("jpg", { optimise: true })).length).toBeLessThan(
      (await encode("jpg", { optimise: false })).length,
    );
  });
});

/** Compression (TIFF 6.0 §8) of the first page of a little-endian file. */
const compressionOf = (file: Uint8Array): number | undefined => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const directory = view.getUint32(4, true);
  for (let n = 0; n < view.getUint16(directory, true); n++) {
    const entry = directory + 2 + n * 12;
    if (view.getUint16(entry, true) === 259) return view.getUint16(entry + 8, true);
  }
  return undefined;
};

describe("TIFF", () => {
  it.each([
    ["none", 1],
    ["lzw", 5],
    ["jpeg", 7],
    ["deflate", 8],
    ["packbits", 32_773],
  ])("is compressed by %s", async (compression, number) => {
    expect(compressionOf(await encode("tif", { compression }))).toBe(number);
  });
});

describe("PNG", () => {
  it("is smaller at a higher compression level and with a palette", async () => {
    const stored = await encode("png", { level: 0 });
    const level = await encode("png", { level: 6 });
    const palette = await encode("png", { level: 6, palette: true });
    expect(stored.length).toBeGreaterThan(level.length);
    expect(level.length).toBeGreaterThan(palette.length);
    expect(await sharp(palette).metadata()).toMatchObject({ isPalette: true });
  });
});

describe("WebP", () => {
  it("is exact when lossless", async () => {
    const shown = await pixelsOf(await encode("webp", { lossless: true, effort: 0 }));
    expect(difference(shown, await pixelsOf(await testPicture(size))).max).toBe(0);
  });
});

describe("a response's capabilities", () => {
  const plan = async (changes: Partial<Plan>) =>
    planFor(wholeFile(await testPicture(size), size), changes);

  it("include transparency if the format supports it and the image is not bitonal", async () => {
    expect(writesAlpha(await plan({ format: "png" }))).toBe(true);
    expect(writesAlpha(await plan({ format: "jpg" }))).toBe(false);
    expect(writesAlpha(await plan({ format: "png", quality: "bitonal" }))).toBe(false);
    expect(writesAlpha(await plan({ format: "tif", encoding: { compression: "jpeg" } }))).toBe(
      false,
    );
  });

  it("include 16 bits only in PNG and TIFF", async () => {
    expect(writesDeep(await plan({ format: "png", deep: true }))).toBe(true);
    expect(writesDeep(await plan({ format: "png", deep: false }))).toBe(false);
    expect(writesDeep(await plan({ format: "webp", deep: true }))).toBe(false);
    expect(writesDeep(await plan({ format: "png", deep: true, encoding: { palette: true } }))).toBe(
      false,
    );
  });
});

describe("a profile", () => {
  it.each([
    ["gif", "rgb", false],
    ["webp", "rgb", true],
    ["webp", "grey", false],
    ["avif", "grey", false],
    ["jpg", "grey", true],
    ["png", "grey", true],
    ["tif", "grey", true],
  ] as const)("in %s for a %s image is carried: %s", async (format, model, carried) => {
    const plan = planFor(wholeFile(await testPicture(size), size), { format });
    expect(writesProfile(plan, model)).toBe(carried);
  });
});
