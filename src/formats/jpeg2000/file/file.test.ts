import { describe, expect, it } from "vitest";
import {
  box,
  channelDefinitions,
  jp2Of,
  mappings,
  namedColour,
  numbers,
  palette,
  profiledColour,
  sizeBox,
} from "../../../../test/jp2.ts";
import { random } from "../../../../test/random.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { ServerError } from "../../../core/errors.ts";
import type { CodestreamHeader } from "../codestream/contract.ts";
import { channelsOf } from "./channels.ts";
import { checkAgreement } from "./consistency.ts";
import { bytesOf, readFile, readMetadata } from "./file.ts";
import { orientationIn } from "./orientation.ts";

const signal = new AbortController().signal;
const codestream = Buffer.from("ff4fff510029ffd9", "hex");
const size = sizeBox(8, 8);
const read = (bytes: Uint8Array) => readFile(bytesOf(memoryReader(bytes), signal));
const metadata = (bytes: Uint8Array) => readMetadata(bytesOf(memoryReader(bytes), signal));

describe("the codestream of a file", () => {
  it("is all of a raw codestream", async () => {
    const { place, header } = await read(codestream);
    expect(place).toEqual({ offset: 0, length: codestream.length });
    expect(header.colours).toEqual([]);
  });

  it("is in the first box of its type, whatever comes before and after", async () => {
    const before = [box("free", Buffer.alloc(9_000)), box("jp2h", size, namedColour(17))];
    const file = jp2Of(...before, box("jp2c", codestream), box("jp2c", Buffer.alloc(3)));
    const { place, header } = await read(file);
    expect(file.subarray(place.offset, place.offset + place.length)).toEqual(codestream);
    expect(header.colours).toMatchObject([{ model: "grey" }]);
  });

  it("extends to the end of the file where its box has no length", async () => {
    const open = Buffer.concat([numbers(4, 0), Buffer.from("jp2c"), codestream]);
    const file = jp2Of(open);
    const { place } = await read(file);
    expect(place).toEqual({ offset: file.length - 8, length: 8 });
  });

  it("may be in a box with an eight-byte length", async () => {
    const long = Buffer.concat([
      numbers(4, 1),
      Buffer.from("jp2c"),
      numbers(4, 0, 16 + codestream.length),
      codestream,
    ]);
    const file = jp2Of(long, box("xml "));
    expect((await read(file)).place).toEqual({ offset: file.length - 16, length: 8 });
  });

  it("must be complete", async () => {
    const file = jp2Of(box("jp2c", Buffer.alloc(1_000)));
    await expect(read(file.subarray(0, -7))).rejects.toThrow("the last 7 bytes of its codestream");
    const open = jp2Of(numbers(4, 0), Buffer.from("jp2c"), codestream);
    await expect(read(open.subarray(0, -1))).rejects.toThrow("ends within its codestream");
    await expect(read(codestream.subarray(0, -2))).rejects.toThrow("ends within its codestream");
    const behind = Buffer.concat([codestream, Buffer.alloc(900)]);
    expect((await read(behind)).place.length).toBe(behind.length);
  });

  it.each([
    ["there is none", jp2Of(box("jp2h", size, namedColour(16)))],
    ["a box is shorter than its head", jp2Of(numbers(4, 7), box("jp2c", codestream))],
    ["a long box is shorter than its head", jp2Of(numbers(4, 1, 0x6a703263, 0, 9), codestream)],
    ["the file ends within a head", jp2Of(Buffer.from("\0\0"))],
    ["a length is beyond all files", jp2Of(numbers(4, 1, 0, 0xffffffff, 0xffffffff))],
  ])("is reported missing where %s", async (_, file) => {
    await expect(read(file)).rejects.toThrow("has no codestream");
  });

  it("is not searched for beyond a bound of boxes", async () => {
    const many = Buffer.concat(Array.from({ length: 1_100 }, () => box("free")));
    await expect(read(jp2Of(many, box("jp2c", codestream)))).rejects.toThrow("has no codestream");
  });
});

describe("the header of a file", () => {
  const headerOf = async (...boxes: readonly Uint8Array[]) =>
    (await read(jp2Of(box("jp2h", size, ...boxes), box("jp2c", codestream)))).header;
  const components = (
    count: number,
    changes: Partial<CodestreamHeader> = {},
  ): CodestreamHeader => ({
    image: { x: 0, y: 0, width: 8, height: 8 },
    tiles: { x: 0, y: 0, width: 8, height: 8 },
    columns: 1,
    rows: 1,
    components: Array.from({ length: count }, () => ({
      precision: 8,
      signed: false,
      dx: 1,
      dy: 1,
    })),
    levels: 0,
    layers: 1,
    progression: "LRCP",
    reversible: true,
    transformed: false,
    ht: false,
    precinct: { width: 32_768, height: 32_768 },
    block: { width: 64, height: 64 },
    capabilities: 0,
    ...changes,
  });

  it.each([
    [0, { coding: "inverted", model: "grey" }],
    [12, { coding: "plain", model: "cmyk" }],
    [13, { coding: "ycck", model: "cmyk" }],
    [14, { coding: "lab", model: "rgb" }],
    [16, { coding: "plain", model: "rgb" }],
    [17, { coding: "plain", model: "grey" }],
    [18, { coding: "ycc", model: "rgb" }],
  ])("names the colour space %i", async (number, space) => {
    expect((await headerOf(namedColour(number))).colours).toMatchObject([space]);
  });

  it("accepts profiles of every method and ignores what is unknown", async () => {
    const { colours } = await headerOf(
      profiledColour("GRAY"),
      profiledColour("RGB ", 3),
      profiledColour("CMYK", 3),
      profiledColour("6CLR", 3),
      namedColour(99),
      box("colr", numbers(1, 4, 0, 0, 1, 2, 3)),
    );
    expect(colours.map(({ model }) => model)).toEqual(["grey", "rgb", "cmyk"]);
    expect(colours[0]?.profile).toHaveLength(132);
  });

  it("must give the image's size, with all of its boxes within it", async () => {
    expect((await headerOf()).size).toEqual({ width: 8, height: 8 });
    const none = jp2Of(box("jp2h", namedColour(16)), box("jp2c", codestream));
    await expect(read(none)).rejects.toThrow("has no image size");
    const long = Buffer.concat([numbers(4, 99), namedColour(16).subarray(4)]);
    await expect(headerOf(long)).rejects.toThrow("Truncated box 'colr'");
  });

  it("must agree with the codestream", async () => {
    const header = await headerOf();
    const check = (
      ...[count, changes, length = 1_000]: [...Parameters<typeof components>, number?]
    ) =>
      checkAgreement(header, { header: components(count, changes), place: { offset: 0, length } });
    expect(() => check(3)).not.toThrow();
    const other = { image: { x: 1, y: 0, width: 7, height: 8 } };
    expect(() => check(3, other)).toThrow("Expected a JPEG 2000 of 8 x 8");
    expect(() => check(257)).toThrow("at most 256 components");
    const full = { precision: 8, signed: false, dx: 1, dy: 1 };
    const uneven = { transformed: true, components: [full, full, { ...full, dx: 2 }] };
    expect(() => check(3, uneven)).toThrow("three components of the same size");
    expect(() => check(2, { transformed: true })).toThrow("three components of the same size");
    expect(() => check(4, { transformed: true })).not.toThrow();
  });

  it("is refused when too short", async () => {
    const header = await headerOf();
    const check = (changes: Partial<CodestreamHeader>, length: number) =>
      checkAgreement(header, { header: components(1, changes), place: { offset: 0, length } });
    expect(() => check({}, 81)).not.toThrow();
    expect(() => check({}, 80)).toThrow("a codestream of at least 81 bytes");
    expect(() => check({ levels: 3, layers: 2 }, 87)).toThrow("at least 88 bytes");
    expect(() => check({ columns: 100, rows: 100, layers: 65_535 }, 999_999)).toThrow("at least");
  });

  it("orders colour boxes by precedence, which may be negative", async () => {
    const boxes = [namedColour(17, -3), namedColour(18, 2), namedColour(16, 2)];
    const { colours } = await headerOf(...boxes);
    expect(colours.map(({ coding, model }) => `${coding} ${model}`)).toEqual([
      "ycc rgb",
      "plain rgb",
      "plain grey",
    ]);
  });

  it("takes a colour space that has enough components, or goes by their number", async () => {
    const header = await headerOf(namedColour(12), namedColour(16));
    expect(channelsOf(header, components(4)).space.model).toBe("cmyk");
    expect(channelsOf(header, components(3)).space.model).toBe("rgb");
    expect(channelsOf(header, components(2))).toMatchObject({
      space: { model: "grey" },
      colours: [{ component: 0 }],
    });
  });

  it("handles reordered colours and alpha", async () => {
    const header = await headerOf(
      namedColour(16),
      channelDefinitions([0, 2, 0], [1, 0, 3], [2, 0, 2], [3, 0, 1]),
    );
    expect(channelsOf(header, components(4))).toMatchObject({
      colours: [{ component: 3 }, { component: 2 }, { component: 1 }],
      alpha: { component: 0 },
      premultiplied: true,
    });
  });

  it("takes the fourth component of RGB as alpha where its meaning is not stated", async () => {
    const rgb = await headerOf(namedColour(16));
    expect(channelsOf(rgb, components(4))).toMatchObject({
      colours: [{ component: 0 }, { component: 1 }, { component: 2 }],
      alpha: { component: 3 },
      premultiplied: false,
    });
    const plain = await headerOf(namedColour(16), channelDefinitions([0, 0, 1]));
    for (const others of [
      channelsOf(rgb, components(3)),
      channelsOf(rgb, components(5)),
      channelsOf(plain, components(4)),
      channelsOf(await headerOf(namedColour(12)), components(4)),
      channelsOf(await headerOf(), components(4)),
    ])
      expect(others.alpha).toBeUndefined();
  });

  it("drops channels that are neither colour nor alpha", async () => {
    const header = await headerOf(
      namedColour(16),
      channelDefinitions([0, 65_535, 65_535], [1, 0, 1], [2, 0, 2], [3, 0, 3], [4, 1, 0]),
    );
    const { colours, alpha } = channelsOf(header, components(5));
    expect(colours.map(({ component }) => component)).toEqual([1, 2, 3]);
    expect(alpha?.component).toBe(4);
    const only = await headerOf(channelDefinitions([0, 1, 0]));
    expect(() => channelsOf(only, components(1))).toThrow("has no colour channel");
  });

  it("maps palette columns to channels", async () => {
    const header = await headerOf(
      namedColour(16),
      palette([0, 10, 20], [1, 11, 21], [2, 12, 22]),
      mappings([0, 1, 2], [0, 1, 1], [0, 1, 0]),
    );
    const { colours } = channelsOf(header, components(1));
    expect(colours.map(({ column }) => column?.values)).toEqual([
      [2, 12, 22],
      [1, 11, 21],
      [0, 10, 20],
    ]);
  });

  it("refuses mappings of missing components, and incomplete palettes", async () => {
    const columns = palette([0, 1], [2, 3]);
    const column = await headerOf(columns, mappings([0, 1, 2]));
    expect(() => channelsOf(column, components(1))).toThrow("palette of 2, not number 2");
    const component = await headerOf(columns, mappings([1, 0, 0]));
    expect(() => channelsOf(component, components(1))).toThrow("1 components, not number 1");
    const short = Buffer.concat([numbers(4, columns.length - 1), columns.subarray(4, -1)]);
    await expect(headerOf(short)).rejects.toThrow("more bytes in");
    await expect(headerOf(box("pclr", numbers(2, 0), numbers(1, 3)))).rejects.toThrow(
      "1 to 1024 entries",
    );
  });

  it("treats subsampled chroma as colour differences", async () => {
    const header = await headerOf(namedColour(16));
    const full = { precision: 8, signed: false, dx: 1, dy: 1 };
    const half = { ...full, dx: 2, dy: 2 };
    const coded = components(3, { components: [full, half, half] });
    expect(channelsOf(header, coded).space.coding).toBe("ycc");
    expect(channelsOf(header, components(3)).space.coding).toBe("plain");
  });
});

describe("metadata", () => {
  const exif = (order: "II" | "MM", orientation: number): Buffer => {
    const entry = Buffer.from([1, 18, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
    if (order === "II")
      for (const [from, to] of [
        [0, 2],
        [2, 4],
        [4, 8],
        [8, 10],
      ] as const)
        entry.subarray(from, to).reverse();
    const [two, four] = [Buffer.from([0, 1]), numbers(4, 8)];
    const mark = Buffer.from(order === "II" ? "II*\0" : "MM\0*", "latin1");
    if (order === "II") for (const number of [two, four]) number.reverse();
    return Buffer.concat([mark, four, two, entry, Buffer.alloc(4)]);
  };
  const exifId = Buffer.from("JpgTiffExif->JP2", "latin1");
  const xmpId = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
  const xmp = Buffer.from(`<x:xmpmeta><a tiff:Orientation="3"/></x:xmpmeta>`);

  it.each(["II", "MM"] as const)("gives the orientation in Exif: %s", async (order) => {
    const file = jp2Of(box("jp2c", codestream), box("uuid", exifId, exif(order, 6)));
    expect(orientationIn(await metadata(file))).toBe(6);
    const likeJpeg = Buffer.concat([Buffer.from("Exif\0\0"), exif(order, 8)]);
    expect(orientationIn(await metadata(jp2Of(box("uuid", exifId, likeJpeg))))).toBe(8);
  });

  it("gives it in XMP, in either kind of box, unless Exif does", async () => {
    expect(orientationIn(await metadata(jp2Of(box("uuid", xmpId, xmp))))).toBe(3);
    expect(orientationIn(await metadata(jp2Of(box("xml ", xmp))))).toBe(3);
    const both = jp2Of(box("uuid", xmpId, xmp), box("uuid", exifId, exif("MM", 5)));
    expect(orientationIn(await metadata(both))).toBe(5);
    expect(orientationIn(await metadata(jp2Of(box("uuid", exifId, exif("MM", 99)))))).toBe(1);
    expect(orientationIn(await metadata(jp2Of(box("xml ", Buffer.from("<gml/>")))))).toBe(1);
    expect(orientationIn(await metadata(codestream))).toBe(1);
  });
});

it("corrupt boxes are refused or read, and quickly", async () => {
  const from = random(20_000);
  const sound = jp2Of(
    box(
      "jp2h",
      size,
      namedColour(16),
      profiledColour("RGB "),
      palette([0, 10, 20], [1, 11, 21], [2, 12, 22]),
      mappings([0, 1, 2], [0, 1, 1], [0, 1, 0]),
      channelDefinitions([0, 0, 1], [1, 0, 2], [2, 0, 3]),
    ),
    box("xml ", Buffer.from("<x:xmpmeta>")),
    box("uuid", Buffer.from("JpgTiffExif->JP2II*\0\x08\0\0\0\x01\0", "latin1")),
    box("jp2c", codestream),
  );
  const components = [{ precision: 8, signed: false, dx: 1, dy: 1 }];
  let whole = 0;
  for (let round = 0; round < 5_000; round++) {
    const file = Buffer.from(sound);
    for (let change = from.whole(1, 4); change > 0; change--)
      file[from.whole(0, file.length - 1)] = from.one([0, 1, 7, 8, 255, from.whole(0, 255)]);
    const cut = from.whole(0, 4) === 0 ? file.subarray(0, from.whole(0, file.length)) : file;
    try {
      const { header, place } = await read(cut);
      expect(place.offset + place.length).toBeLessThanOrEqual(cut.length);
      orientationIn(await metadata(cut));
      const { colours, space } = channelsOf(header, { components } as unknown as CodestreamHeader);
      expect(colours).toHaveLength(space.channels);
      whole += 1;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect(error.failure).toBe("unreadable");
    }
  }
  expect(whole).toBeGreaterThan(1_000);
});
