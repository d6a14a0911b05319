import { expect, test } from "vitest";
import {
  type DicomElement,
  dicomFile,
  extendedJpeg,
  jpegLs,
  losslessJpeg,
  pixelElements,
  runLengths,
  us,
} from "../../../test/dicom.ts";
import { dicomDecoder } from "../../../test/dicom-decoder.ts";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import type { Rect } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { sniff } from "../sniff.ts";
import { dicomTags as tags } from "./tags.ts";

const signal = new AbortController().signal;
const decoder = await dicomDecoder();

interface Wanted {
  readonly page?: number;
  readonly region?: Rect;
}

/** The samples of a part of a file, by default of the whole first page. */
const read = async (
  file: Uint8Array,
  { page = 0, region }: Wanted = {},
  reader: RangeReader = memoryReader(file),
): Promise<number[]> => {
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[page] ?? info.pages[0];
  const part = region ?? { x: 0, y: 0, ...size };
  const raster = await decoder.read(
    reader,
    info,
    { page, region: part, atLeast: part },
    plan,
    signal,
  );
  const { bits, model } = info.pages[0].colour;
  const deep = bits > 8;
  const space = model === "grey" ? (deep ? "grey16" : "b-w") : deep ? "rgb16" : "srgb";
  const { data } = await raster.image
    .toColourspace(space)
    .raw({ depth: deep ? "ushort" : "uchar" })
    .toBuffer({ resolveWithObject: true });
  return deep ? [...new Uint16Array(data.buffer, data.byteOffset, data.length / 2)] : [...data];
};

const four = { width: 4, height: 1 };
const window = (center: string, width: string, kind?: string): DicomElement[] => [
  [tags.windowCenter, "DS", center],
  [tags.windowWidth, "DS", width],
  ...(kind ? [[tags.windowFunction, "CS", kind] as const] : []),
];

const grey = (values: readonly number[], elements: readonly DicomElement[], syntax = ".1") =>
  dicomFile({
    syntax,
    elements: [...pixelElements(four), ...elements],
    pixels: Uint8Array.from(values),
  });

test("grey without a window keeps its values up to 8 bits", async () => {
  expect(await read(grey([0, 1, 128, 255], []))).toEqual([0, 1, 128, 255]);
});

test("the first of several windows applies, linear as in PS3.3 C.11.2.1.2", async () => {
  // c = 100, w = 101: from 49.5 (black) to 149.5 (white).
  const file = grey([49, 50, 100, 150], window("100\\5", "101\\7"));
  expect(await read(file)).toEqual([0, 1, 129, 255]);
});

test("LINEAR_EXACT and SIGMOID are supported", async () => {
  const exact = grey([50, 75, 100, 150], window("100", "100", "LINEAR_EXACT"));
  expect(await read(exact)).toEqual([0, 64, 128, 255]);
  const sigmoid = grey([0, 100, 125, 255], window("100", "100", "SIGMOID"));
  const light = (value: number): number =>
    Math.round(255 / (1 + Math.exp((-4 * (value - 100)) / 100)));
  expect(await read(sigmoid)).toEqual([0, 100, 125, 255].map(light));
});

test("MONOCHROME1 shows its lowest value as white", async () => {
  const file = dicomFile({
    elements: pixelElements({ ...four, photometric: "MONOCHROME1" }),
    pixels: Uint8Array.of(0, 1, 128, 255),
  });
  expect(await read(file)).toEqual([255, 254, 127, 0]);
});

test("slope and intercept apply before the window, with signed values", async () => {
  const file = dicomFile({
    elements: [
      ...pixelElements({ ...four, bits: 16, signed: true }),
      [tags.rescaleSlope, "DS", "2"],
      [tags.rescaleIntercept, "DS", "-10"],
      ...window("0", "100", "LINEAR_EXACT"),
    ],
    pixels: us(65_536 - 20, 5, 17, 30),
  });
  // -50, 0, 24 and 50.
  expect(await read(file)).toEqual([0, 32_768, Math.round(0.74 * 65_535), 65_535]);
});

test("values without a window are stretched from minimum to maximum, without padding", async () => {
  const file = dicomFile({
    elements: [...pixelElements({ ...four, bits: 12 }), [tags.padding, "US", us(4_095)]],
    pixels: us(100, 150, 200, 4_095),
  });
  expect(await read(file)).toEqual([0, 32_768, 65_535, 65_535]);
  const cut = await read(file, { region: { x: 1, y: 0, width: 2, height: 1 } });
  expect(cut).toEqual([32_768, 65_535]);
});

test("modality and VOI lookup tables are applied", async () => {
  const table = (first: number, entries: readonly number[], bits: number): DicomElement[] => [
    [tags.tableDescriptor, "US", us(entries.length, first, bits)],
    [tags.tableData, "OW", us(...entries)],
  ];
  const file = dicomFile({
    elements: [
      ...pixelElements(four),
      [tags.modalityTables, "SQ", [table(10, [0, 1, 2, 3], 8)]] as never,
      [tags.windowTables, "SQ", [table(0, [255, 0, 51, 102], 8)]] as never,
    ],
    pixels: Uint8Array.of(9, 11, 12, 99),
  });
  expect(await read(file)).toEqual([255, 0, 51, 102]);
});

test("each frame uses its own window", async () => {
  const group = (center: string): DicomElement[] => [
    [tags.frameWindow, "SQ", [window(center, "100", "LINEAR_EXACT")]] as never,
  ];
  const file = dicomFile({
    elements: [
      ...pixelElements({ ...four, frames: 2 }),
      [tags.frameGroups, "SQ", [group("50"), group("150")]] as never,
    ],
    pixels: Uint8Array.of(0, 50, 100, 150, 100, 150, 200, 250),
  });
  expect(await read(file)).toEqual([0, 128, 255, 255]);
  expect(await read(file, { page: 1 })).toEqual([0, 128, 255, 255]);
});

test("byte orders, implicit VRs, deflated files and files without a preamble read the same", async () => {
  const values = [1, 256, 4_000, 65_535];
  const elements = [
    ...pixelElements({ ...four, bits: 16 }),
    ...window("32768", "65536", "LINEAR_EXACT"),
  ];
  const wanted = await read(dicomFile({ elements, pixels: us(...values) }));
  expect(wanted).toEqual([1, 256, 4_000, 65_534]);
  for (const syntax of ["", ".1.99"])
    expect(await read(dicomFile({ syntax, elements, pixels: us(...values) }))).toEqual(wanted);
  const big = dicomFile({ syntax: ".2", elements, pixels: us(...values).swap16() });
  expect(await read(big)).toEqual(wanted);
  const bare = dicomFile({ elements, pixels: us(...values), preamble: false });
  expect(await sniff(memoryReader(bare), signal)).toBe("dicom");
  expect(await read(bare)).toEqual(wanted);
});

test("a data set without a file header is read, as old modalities wrote it", async () => {
  const values = [0, 85, 170, 255];
  const elements = [
    [0x00080005, "CS", "ISO_IR 100"],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4\0"],
    ...pixelElements(four),
  ] as const;
  const parts = { elements: [...elements], pixels: Uint8Array.from(values), preamble: false };
  for (const syntax of ["", ".1"]) {
    const file = dicomFile({ ...parts, syntax, meta: false });
    expect(await sniff(memoryReader(file), signal)).toBe("dicom");
    expect(await read(file)).toEqual(values);
  }
  // A file whose second element is invalid is something else.
  const other = dicomFile({ ...parts, syntax: "", meta: false });
  other.writeUInt16LE(0x0001, 8 + 10 + 2);
  expect(await sniff(memoryReader(other), signal)).toBeUndefined();
});

test("colour is read by pixel and by plane, as YBR and with a palette", async () => {
  const two = { width: 2, height: 1, samples: 3 };
  const rgb = dicomFile({ elements: pixelElements(two), pixels: Uint8Array.of(1, 2, 3, 4, 5, 6) });
  expect(await read(rgb)).toEqual([1, 2, 3, 4, 5, 6]);
  const planar = dicomFile({
    elements: [...pixelElements(two), [tags.planar, "US", us(1)]],
    pixels: Uint8Array.of(1, 4, 2, 5, 3, 6),
  });
  expect(await read(planar)).toEqual([1, 2, 3, 4, 5, 6]);
  const ybr = dicomFile({
    elements: pixelElements({ ...two, photometric: "YBR_FULL" }),
    pixels: Uint8Array.of(76, 85, 255, 29, 255, 107),
  });
  expect(await read(ybr)).toEqual([254, 0, 0, 0, 0, 254]);
  const pairs = dicomFile({
    elements: pixelElements({ ...two, photometric: "YBR_FULL_422" }),
    pixels: Uint8Array.of(100, 200, 128, 128),
  });
  expect(await read(pairs)).toEqual([100, 100, 100, 200, 200, 200]);
  const entries = (...values: readonly number[]): Uint8Array => us(...values);
  const palette = dicomFile({
    elements: [
      ...pixelElements({ width: 4, height: 1, photometric: "PALETTE COLOR" }),
      ...[tags.redDescriptor, tags.greenDescriptor, tags.blueDescriptor].map(
        (tag) => [tag, "US", us(3, 5, 16)] as const,
      ),
      [tags.redPalette, "OW", entries(1, 2, 3)],
      [tags.greenPalette, "OW", entries(4, 5, 6)],
      // Two discrete values, then a line of one value.
      [tags.blueSegments, "OW", entries(0, 2, 7, 8, 1, 1, 9)],
    ],
    pixels: Uint8Array.of(0, 5, 6, 255),
  });
  expect(await read(palette)).toEqual([1, 4, 7, 1, 4, 7, 2, 5, 8, 3, 6, 9]);
});

test("single bits continue across rows and frames", async () => {
  const file = dicomFile({
    elements: pixelElements({ width: 3, height: 1, bits: 1, allocated: 1, frames: 2 }),
    pixels: Uint8Array.of(0b101_011, 0),
  });
  expect(await read(file)).toEqual([255, 255, 0]);
  expect(await read(file, { page: 1 })).toEqual([255, 0, 255]);
});

test("run lengths are decoded; frames are found with and without an offset table", async () => {
  const elements = [
    ...pixelElements({ ...four, bits: 16, frames: 2 }),
    ...window("32768", "65536", "LINEAR_EXACT"),
  ];
  const frame = (high: readonly number[], low: readonly number[]): Buffer =>
    runLengths([Uint8Array.from(high), Uint8Array.from(low)]);
  const fragments = [frame([1, 1, 1, 0], [0, 0, 7, 7]), frame([2, 2, 2, 2], [3, 3, 3, 4])];
  const offsets = [0, 8 + (fragments[0]?.length ?? 0)];
  for (const pixels of [{ fragments }, { fragments, offsets }]) {
    const file = dicomFile({ syntax: ".5", elements, pixels });
    expect(await read(file)).toEqual([256, 256, 263, 7]);
    expect(await read(file, { page: 1 })).toEqual([515, 515, 515, 516]);
  }
});

test("lossless JPEG is decoded with differences modulo 65,536", async () => {
  const samples = Uint16Array.of(0, 65_535, 1, 40_000, 3, 3, 30_000, 65_000);
  for (const predictor of [1, 2] as const) {
    const file = dicomFile({
      syntax: ".4.57",
      elements: [
        ...pixelElements({ width: 4, height: 2, bits: 16 }),
        ...window("32767.5", "65535", "LINEAR_EXACT"),
      ],
      pixels: { fragments: [losslessJpeg(samples, { width: 4, precision: 16, predictor })] },
    });
    expect(await read(file)).toEqual([...samples]);
  }
});

test("extended 12-bit JPEG is decoded, with restart markers too", async () => {
  const means = [0, 100, 2_048, 4_095, 17, 4_000];
  for (const restart of [0, 2]) {
    const file = dicomFile({
      syntax: ".4.51",
      elements: [
        ...pixelElements({ width: 24, height: 16, bits: 12 }),
        ...window("2047.5", "4095", "LINEAR_EXACT"),
      ],
      pixels: { fragments: [extendedJpeg(means, { columns: 3, restart })] },
    });
    const samples = await read(file);
    const seen = means.map((_, block) => samples[(block > 2 ? 8 * 24 : 0) + (block % 3) * 8 + 25]);
    expect(seen).toEqual(means.map((mean) => Math.round((mean / 4_095) * 65_535)));
  }
});

test("JPEG-LS is decoded in colour and in grey", async () => {
  const grey16 = Uint16Array.from({ length: 64 }, (_, at) => (at * 1_021) & 65_535);
  const one = dicomFile({
    syntax: ".4.80",
    elements: [
      ...pixelElements({ width: 8, height: 8, bits: 16 }),
      ...window("32767.5", "65535", "LINEAR_EXACT"),
    ],
    pixels: { fragments: [await jpegLs(grey16, { width: 8, height: 8, components: 1, bits: 16 })] },
  });
  expect(await read(one)).toEqual([...grey16]);
  const colours = Uint8Array.from({ length: 8 * 8 * 3 }, (_, at) => (at * 37) & 255);
  const three = dicomFile({
    syntax: ".4.80",
    elements: pixelElements({ width: 8, height: 8, samples: 3 }),
    pixels: { fragments: [await jpegLs(colours, { width: 8, height: 8, components: 3, bits: 8 })] },
  });
  // CharLS was given planes.
  const pixels = Array.from({ length: 64 }, (_, at) =>
    [0, 1, 2].map((plane) => colours[plane * 64 + at]),
  );
  expect(await read(three)).toEqual(pixels.flat());
});

test("frames of a whole slide are the tiles of one image", async () => {
  const tiles = [0, 1, 2, 3].map((tile) => Array.from({ length: 4 }, (_, at) => tile * 10 + at));
  const file = dicomFile({
    elements: [
      ...pixelElements({ width: 2, height: 2, frames: 4 }),
      [tags.dimensionOrganization, "CS", "TILED_FULL"],
      [tags.matrixColumns, "UL", Buffer.from(Uint32Array.of(3).buffer)],
      [tags.matrixRows, "UL", Buffer.from(Uint32Array.of(3).buffer)],
    ],
    pixels: Uint8Array.from(tiles.flat()),
  });
  const info = await decoder.info(memoryReader(file), signal);
  expect(info.pages.map(({ levels }) => levels)).toEqual([
    [{ size: { width: 3, height: 3 }, tile: { width: 2, height: 2 } }],
  ]);
  expect(await read(file)).toEqual([0, 1, 10, 2, 3, 12, 20, 21, 30]);
  expect(await read(file, { region: { x: 1, y: 1, width: 2, height: 2 } })).toEqual([
    3, 12, 21, 30,
  ]);
});

test("only the wanted rows of uncompressed pixels are read", async () => {
  const size = { width: 1_000, height: 3_000 };
  const file = dicomFile({
    elements: pixelElements(size),
    pixels: Uint8Array.from({ length: size.width * size.height }, (_, at) => at % 251),
  });
  let bytes = 0;
  const counting: RangeReader = {
    ...memoryReader(file),
    read: async (offset, length) => {
      bytes += length;
      return file.subarray(offset, offset + length);
    },
  };
  const region = { x: 10, y: 2_000, width: 2, height: 3 };
  const wanted = [0, 1, 2].flatMap((row) =>
    [0, 1].map((x) => ((2_000 + row) * 1_000 + 10 + x) % 251),
  );
  expect(await read(file, { region }, counting)).toEqual(wanted);
  expect(bytes).toBeLessThan(20_000);
});

test("truncated, contradictory and unsupported files are refused", async () => {
  const sound = grey([1, 2, 3, 4], []);
  const refused = async (file: Uint8Array, message: RegExp): Promise<void> => {
    await expect(read(file)).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringMatching(message),
    });
  };
  await refused(sound.subarray(0, sound.length - 2), /4 bytes of DICOM pixels, found 2/);
  await refused(grey([1, 2, 3, 4], [], ".4.102"), /transfer syntax .*4\.102/);
  await refused(grey([1, 2, 3, 4], [[tags.frames, "IS", "7"]]), /28 bytes/);
  const coded = { syntax: ".5", elements: pixelElements({ ...four, frames: 3 }) };
  await refused(
    dicomFile({ ...coded, pixels: { fragments: [runLengths([Uint8Array.of(1, 2, 3, 4)])] } }),
    /3 frames .* 1 fragments/,
  );
  await refused(
    dicomFile({
      syntax: ".5",
      elements: pixelElements(four),
      pixels: { fragments: [runLengths([Uint8Array.of(1, 2)])] },
    }),
    /Truncated run-length/,
  );
  await refused(
    dicomFile({
      syntax: ".4.80",
      elements: pixelElements(four),
      pixels: { fragments: [Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)] },
    }),
    /frame header/,
  );
});
