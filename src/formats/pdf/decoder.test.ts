import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { guardedBy, pdfOf, rectangle, streamOf } from "../../../test/pdf.ts";
import {
  coloursAt,
  corners,
  decoderFor,
  endless,
  opened,
  openedBy,
  type Ready,
  red,
} from "../../../test/pdf-decoder.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { Config } from "../../config/store.ts";
import { DecoderLost } from "../../core/errors.ts";
import type { Rect } from "../../core/geometry.ts";
import { skipTileLengths } from "../containers/openjpeg-markers.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { startEngine } from "./engine.ts";

const white = [255, 255, 255];
const blue = [0, 0, 255];

describe("PDF pages", () => {
  it("have their size at the configured resolution", async () => {
    const { info } = await opened(pdfOf([corners, { ...corners, box: [10, 10, 310.4, 210] }]), {
      "processor.dpi": 144,
    });
    expect(info.pages.map(({ size }) => size)).toEqual([
      { width: 240, height: 180 },
      { width: 601, height: 400 },
    ]);
    expect(info.pages[1]?.levels.map(({ size }) => size.width)).toEqual([601, 301, 151]);
    expect(info.pages[0]).toMatchObject({ orientation: 1, colour: { model: "rgb", alpha: false } });
  });

  it("are rendered on white", async () => {
    const { read } = await opened(pdfOf([corners]));
    const raster = await read();
    expect(raster.size).toEqual({ width: 120, height: 90 });
    expect(await coloursAt(raster, [10, 10], [100, 80], [60, 45])).toEqual([red, blue, white]);
  });

  it.each([
    [90, { width: 90, height: 120 }, [80, 10], [10, 110]],
    [180, { width: 120, height: 90 }, [110, 80], [10, 10]],
    [270, { width: 90, height: 120 }, [10, 110], [80, 10]],
  ] as const)(
    "are rotated by %i degrees according to /Rotate",
    async (degrees, size, ofRed, ofBlue) => {
      const { info, read } = await opened(pdfOf([{ ...corners, entries: `/Rotate ${degrees}` }]));
      expect(info.pages[0].size).toEqual(size);
      expect(await coloursAt(await read(), [...ofRed], [...ofBlue])).toEqual([red, blue]);
    },
  );

  it("are cropped to their crop box", async () => {
    const { info, read } = await opened(pdfOf([{ ...corners, entries: "/CropBox[60 0 120 45]" }]));
    expect(info.pages[0].size).toEqual({ width: 60, height: 45 });
    expect(await coloursAt(await read(), [5, 5], [50, 40])).toEqual([white, blue]);
  });

  it("include their annotations", async () => {
    const look = streamOf(
      rectangle("1 0 0", 0, 0, 20, 20),
      "/Type/XObject/Subtype/Form/BBox[0 0 20 20]",
    );
    const note = "<</Type/Annot/Subtype/Square/Rect[50 40 70 60]/F 4/AP<</N 3 0 R>>>>";
    const document = pdfOf([{ content: "", entries: "/Annots[4 0 R]" }], { objects: [look, note] });
    const { read } = await opened(document);
    expect(await coloursAt(await read(), [60, 40], [10, 10])).toEqual([red, white]);
  });

  it("include filled-in form fields at every size and in every region", async () => {
    const { read } = await opened(filledIn());
    const whole = await read();
    expect(await coloursAt(whole, [60, 40], [20, 40], [10, 80])).toEqual([blue, red, white]);
    const size = { width: 240, height: 180 };
    const large = await read({ atLeast: size });
    expect(await coloursAt(large, [120, 80], [101, 61], [99, 61], [138, 98])).toEqual([
      blue,
      blue,
      white,
      blue,
    ]);
    const region = { x: 45, y: 25, width: 30, height: 30 };
    const part = await read({ region, atLeast: { width: 60, height: 60 } });
    const [cut, all] = await Promise.all([part, large].map(({ image }) => image.raw().toBuffer()));
    expect(cut).toHaveLength(60 * 60 * 3);
    for (let row = 0; row < 60; row++) {
      const at = ((row + 50) * size.width + 90) * 3;
      const shown = cut?.subarray(row * 180, (row + 1) * 180);
      expect(shown && all?.subarray(at, at + 180).equals(shown)).toBe(true);
    }
  });

  it("show the value of a field without an appearance stream, with no highlight", async () => {
    const { read } = await opened(filledIn());
    const { image } = await read({ region: { x: 10, y: 66, width: 100, height: 18 } });
    const written = await image.greyscale().raw().toBuffer();
    expect(written.filter((level) => level < 64).length).toBeGreaterThan(20);
    expect(written.filter((level) => level === 255).length).toBeGreaterThan(written.length / 2);
  });

  it("blend transparent content with white", async () => {
    const entries = "/Resources<</ExtGState<</G<</ca 0.5>>>>>>";
    const { read } = await opened(
      pdfOf([{ entries, content: `/G gs ${rectangle("1 0 0", 0, 0, 60, 90)}` }]),
    );
    const [[r, g = 0] = []] = await coloursAt(await read(), [30, 45]);
    expect(r).toBe(255);
    expect(Math.abs(g - 128)).toBeLessThan(3);
  });

  it("are rendered at exactly the requested size and region", async () => {
    const { read } = await opened(pdfOf([corners]));
    const region: Rect = { x: 80, y: 50, width: 40, height: 40 };
    const twice = await read({ region, atLeast: { width: 80, height: 80 } });
    expect(twice.size).toEqual({ width: 80, height: 80 });
    expect(twice.covers).toEqual(region);
    expect(await coloursAt(twice, [10, 10], [70, 70])).toEqual([white, blue]);
    const small = await read({ atLeast: { width: 37, height: 28 } });
    expect(small.size).toEqual({ width: 37, height: 28 });
    expect(small.covers).toEqual({ x: 0, y: 0, width: 120, height: 90 });
  });

  it("are read from a local file in its current state", async () => {
    const path = join(await temporaryFolder(), "a.pdf");
    const decoder = await decoderFor();
    for (const [colour, shown] of [
      ["1 0 0", red],
      ["0 0 1", blue],
    ] as const) {
      await writeFile(path, pdfOf([{ content: rectangle(colour, 0, 0, 120, 90) }]));
      const { read } = await openedBy(decoder, await fileReaderOf(path));
      expect(await coloursAt(await read(), [5, 5])).toEqual([shown]);
    }
  });
});

/** A red square, a blue field, and one that says Hello and has scripts. */
const filledIn = (): Buffer => {
  const look = (colour: string): string =>
    streamOf(rectangle(colour, 0, 0, 20, 20), "/Type/XObject/Subtype/Form/BBox[0 0 20 20]");
  const script =
    "/AA<</F<</S/JavaScript/JS(app.alert\\(1\\))>>/K<</S/JavaScript/JS(for\\(;;\\);)>>>>";
  const objects = [
    look("1 0 0"),
    "<</Type/Annot/Subtype/Square/Rect[10 40 30 60]/F 4/AP<</N 3 0 R>>>>",
    look("0 0 1"),
    "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)/Rect[50 40 70 60]/F 4/AP<</N 5 0 R>>>>",
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    `<</Type/Annot/Subtype/Widget/FT/Tx/T(b)/V(Hello)/DA(/F 12 Tf 0 g)/Rect[10 6 110 24]/F 4${script}>>`,
  ];
  const catalog = "/AcroForm<</Fields[6 0 R 8 0 R]/CO[8 0 R]/DR<</Font<</F 7 0 R>>>>>>";
  const page = { content: "", entries: "/Annots[4 0 R 6 0 R 8 0 R]" };
  return pdfOf([page], { objects, catalog });
};

it("a protected document is rendered only while the right password is configured", async () => {
  const { trailer, sealed } = guardedBy("right");
  const picture = streamOf(
    "x".repeat(900 * 700 * 3),
    "/Type/XObject/Subtype/Image/Width 900/Height 700/ColorSpace/DeviceRGB/BitsPerComponent 8",
  );
  const entries = "/Resources<</XObject<</F 3 0 R>>>>";
  const content = sealed(5, "450 0 0 350 0 0 cm /F Do");
  const document = pdfOf([{ box: [0, 0, 450, 350], entries, content }], {
    objects: [picture],
    trailer,
  });
  const valuesWith = (password: string) => ({
    "processor.dpi": 72,
    "processor.pdf.password": password,
  });
  const config = new Config(valuesWith("wrong"));
  const { decoder } = await createCodecs(new Resources(config))("pdf");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const path = join(await temporaryFolder(), "guarded.pdf");
  await writeFile(path, document);
  for (const reader of [memoryReader(document), await fileReaderOf(path)]) {
    config.replace(valuesWith("wrong"));
    await expect(openedBy(decoder, reader)).rejects.toMatchObject({ failure: "denied" });
    config.replace(valuesWith("right"));
    const { read } = await openedBy(decoder, reader);
    const tile = { region: { x: 0, y: 0, width: 200, height: 200 } };
    const shown = await (await read(tile)).image.raw().toBuffer();
    expect(new Set(shown).size).toBeGreaterThan(100);
    for (const other of ["", "wrong"]) {
      config.replace(valuesWith(other));
      // Cached as a whole, this page need not be rendered again.
      for (const wanted of [tile, {}])
        await expect(read(wanted)).rejects.toMatchObject({ failure: "denied" });
    }
    config.replace(valuesWith("right"));
    expect((await (await read(tile)).image.raw().toBuffer()).equals(shown)).toBe(true);
  }
});

describe("PDF errors", () => {
  it.each([
    ["cut short", pdfOf([corners]).subarray(0, 80), /Corrupt PDF document/],
    ["without pages", pdfOf([]), /PDF document/],
  ])("rejects a document %s", async (_, document, sentence) => {
    await expect(opened(document)).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringMatching(sentence),
    });
  });

  it("rejects a page of too many pixels", async () => {
    const document = pdfOf([{ ...corners, box: [0, 0, 14_400, 14_400] }]);
    await expect(opened(document, { "processor.max_scanned_pixels": 1_000_000 })).rejects.toThrow(
      "Expected a page of at most 1000000 pixels at processor.dpi; this one has 14400 x 14400.",
    );
  });

  it("rejects a page that does not exist", async () => {
    const { read } = await opened(pdfOf([corners]));
    await expect(
      read({ page: 1, region: { x: 0, y: 0, width: 1, height: 1 } }),
    ).rejects.toMatchObject({ failure: "missing" });
  });

  it("rejects a document that exhausts memory while others are rendered", async () => {
    const decoder = await decoderFor({
      "processor.pdf.max_memory_bytes": 67_108_864,
      "processor.pdf.timeout": 60,
    });
    // More to render than memory allows, in a file of a few kilobytes.
    const form = streamOf(
      deflateSync("0 0 9 9 re f ".repeat(400_000)).toString("latin1"),
      "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Filter/FlateDecode",
    );
    const entries = "/Resources<</XObject<</F 3 0 R>>>>";
    const bomb = pdfOf([{ entries, content: "/F Do" }], { objects: [form] });
    const good = await openedBy(decoder, memoryReader(pdfOf([corners])));
    const bad = await openedBy(decoder, memoryReader(bomb));
    const broken = bad.read();
    const drawn = good.read();
    await expect(broken).rejects.toMatchObject({ failure: "unreadable" });
    await expect(broken).rejects.toThrow("rendered in the available memory");
    await expect(broken).rejects.toBeInstanceOf(DecoderLost);
    expect(await coloursAt(await drawn, [10, 10])).toEqual([red]);
    expect(await coloursAt(await good.read(), [10, 10])).toEqual([red]);
  });

  it("rejects a document that takes too long and renders others afterwards", async () => {
    const decoder = await decoderFor({ "processor.pdf.timeout": 4 });
    const good = await openedBy(decoder, memoryReader(pdfOf([corners])));
    await good.read();
    const { read } = await openedBy(decoder, memoryReader(endless()));
    await expect(read()).rejects.toMatchObject({ failure: "late" });
    expect(await coloursAt(await good.read(), [10, 10])).toEqual([red]);
  });
});

it("a form that contains itself is rendered once", async () => {
  const form = streamOf(
    `/F Do ${rectangle("0 0 1", 0, 0, 30, 30)}`,
    "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</F 3 0 R>>>>",
  );
  const entries = "/Resources<</XObject<</F 3 0 R>>>>";
  const { read } = await opened(pdfOf([{ entries, content: "/F Do" }], { objects: [form] }));
  expect(await coloursAt(await read(), [10, 80], [50, 10])).toEqual([blue, white]);
});

it("a document with script and link actions is rendered", async () => {
  const catalog =
    "/OpenAction<</S/JavaScript/JS(this.exportDataObject({cName: 'x'}))>>/AA<</WC<</S/URI/URI(http://127.0.0.1:1/)>>>>";
  const { read } = await opened(pdfOf([corners], { catalog }));
  expect(await coloursAt(await read(), [10, 10])).toEqual([red]);
});

/** A page with one image of 900 x 700 pixels, all of a different colour than their neighbours. */
const scan = (): Buffer => {
  const pixels = Array.from({ length: 900 * 700 }, (_, at) => {
    const [x, y] = [at % 900, Math.floor(at / 900)];
    return String.fromCharCode((x * 7 + y) % 256, (y * 5) % 256, (x + y * 3) % 256);
  }).join("");
  const picture = streamOf(
    pixels,
    "/Type/XObject/Subtype/Image/Width 900/Height 700/ColorSpace/DeviceRGB/BitsPerComponent 8",
  );
  const entries = "/Resources<</XObject<</F 3 0 R>>>>";
  const page = { box: [0, 0, 450, 350], entries, content: "450 0 0 350 0 0 cm /F Do" };
  return pdfOf([page], { objects: [picture] });
};

it("tiles of a scanned page are the same with and without the page cache", async () => {
  const document = scan();
  const kept = await opened(document);
  const fresh = await opened(document, { "cache.server.pdf.pages.target_size": 0 });
  const regions = [
    { x: 0, y: 0, width: 200, height: 200 },
    { x: 200, y: 0, width: 200, height: 200 },
    { x: 400, y: 200, width: 50, height: 150 },
  ];
  const tiles = async ({ read }: typeof kept) =>
    Promise.all(regions.map(async (region) => (await read({ region })).image.raw().toBuffer()));
  const all = await tiles(fresh);
  for (const again of [await tiles(kept), await tiles(kept)])
    expect(again.map((tile, at) => all[at]?.equals(tile))).toEqual([true, true, true]);
});

describe("a JPEG 2000 whose TLM marker contradicts its tile-parts", () => {
  /**
   * 128 x 64 pixels of one grey, from a test of pdf.js (Apache-2.0): the marker states two
   * tile-parts, and there are four.
   */
  const codestream = Buffer.from(
    "ff4fff510029000000000080000000400000000000000000000000400000004000000000000000000001070101ff5200" +
      "0c00000001000004040001ff5c00044040ff640025000143726561746564206279204f70656e4a504547207665727369" +
      "6f6e20322e352e34ff55000c00400000010000000100ff90000a00000000001b0000ff93df8050115054afff7fe98960" +
      "7fff90000a00000000000e0100ff93ff90000a00000000000e0200ff93ff90000a00010000001b0001ff93df80501150" +
      "54afff7fe989607fffd9",
    "hex",
  );
  const picture = streamOf(
    codestream.toString("latin1"),
    "/Type/XObject/Subtype/Image/Width 128/Height 64/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/JPXDecode",
  );
  const entries = "/Resources<</XObject<</F 3 0 R>>>>";
  const document = pdfOf([{ entries, content: "120 0 0 90 0 0 cm /F Do" }], {
    objects: [picture],
  });

  it("is rendered identically, whatever the thread rendered before", async () => {
    const decoder = await decoderFor();
    const others = [pdfOf([{ content: rectangle("1 0 0", 0, 0, 60, 60) }]), scan(), document];
    const drawn: Buffer[] = [];
    for (const other of others) {
      await rawOf(decoder, other);
      drawn.push(await rawOf(decoder, document));
    }
    expect(new Set(drawn[0]).size).toBeLessThan(4);
    expect(drawn[0]?.every((sample) => sample < 250)).toBe(true);
    expect(drawn.map((pixels) => drawn[0]?.equals(pixels))).toEqual([true, true, true]);
  });

  const rawOf = async (decoder: Ready, bytes: Uint8Array): Promise<Buffer> => {
    const { read } = await openedBy(decoder, memoryReader(bytes));
    return (await read()).image.raw().toBuffer();
  };

  it("depends on OpenJPEG's marker table being found in PDFium's memory", async () => {
    const { pdfium } = await startEngine(
      () => 67_108_864,
      () => false,
    );
    expect(skipTileLengths(pdfium.HEAPU8)).toBe(true);
    expect(skipTileLengths(new Uint8Array(65_536))).toBe(false);
  });
});
