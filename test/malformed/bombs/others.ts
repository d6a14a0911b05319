import { deflateRawSync } from "node:zlib";
import { bmpFile } from "../../bitmaps.ts";
import { dicomFile, pixelElements, us } from "../../dicom.ts";
import { numbers } from "../../jp2.ts";
import type { Bomb } from "./bomb.ts";

/** Run lengths of BMP: so many pairs of a length and a colour. */
const runs = (count: number, length = 255): Buffer => Buffer.alloc(count * 2, Buffer.of(length, 1));

const grey = [0, 0, 0, 0, 255, 255, 255, 0];

/** A segment of DICOM's run lengths: 128 zeros for two bytes. */
const packed = (length: number): Buffer => {
  const head = Buffer.alloc(64);
  head.writeUInt32LE(1, 0);
  head.writeUInt32LE(64, 4);
  return Buffer.concat([head, Buffer.alloc(Math.ceil(length / 128) * 2, Buffer.of(0x81, 0))]);
};

/** Items within items. */
const nested = (depth: number): Buffer => {
  const start = Buffer.from(
    "08001211" + "5351" + "0000" + "ffffffff" + "feff00e0" + "ffffffff",
    "hex",
  );
  return Buffer.alloc(start.length * depth, start);
};

/** A HEIF box: its length, four letters, and its content. */
const box = (type: string, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([numbers(4, content.length + 8), Buffer.from(type, "latin1"), content]);
};
const version = numbers(4, 0);

/** A HEIF file of so many items, each of which claims to be derived from all the others. */
const heif = (brand: string, items: number, references: number): Buffer => {
  const entry = (id: number): Buffer =>
    box("infe", numbers(4, 0x0200_0000), numbers(2, id, 0), Buffer.from("grid\0", "latin1"));
  const ids = Array.from({ length: items }, (_, at) => at + 1);
  const to = numbers(2, ...Array.from({ length: references }, (_, at) => (at % items) + 1));
  return Buffer.concat([
    box("ftyp", Buffer.from(`${brand}\0\0\0\0mif1${brand}`, "latin1")),
    box(
      "meta",
      version,
      box("hdlr", version, Buffer.from("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0", "latin1")),
      box("pitm", version, numbers(2, 1)),
      box("iinf", version, numbers(2, items), ...ids.map(entry)),
      box("iref", version, ...ids.map((id) => box("dimg", numbers(2, id, references), to))),
      box(
        "iprp",
        box("ipco", box("ispe", version, numbers(4, 8_192, 8_192))),
        box(
          "ipma",
          version,
          numbers(4, items),
          ...ids.map((id) => Buffer.concat([numbers(2, id), numbers(1, 1, 1)])),
        ),
      ),
      box("idat", Buffer.from("000063ff20002000", "hex")),
      box(
        "iloc",
        numbers(4, 0x0100_0000),
        numbers(1, 0x44, 0),
        numbers(2, items),
        ...ids.map((id) => Buffer.concat([numbers(2, id, 1, 0, 1), numbers(4, 0, 8)])),
      ),
    ),
  ]);
};

export const otherBombs: readonly Bomb[] = [
  {
    name: "bmp-runs.bmp",
    make: () =>
      bmpFile({
        width: 30_000,
        height: 30_000,
        bits: 8,
        compression: 1,
        palette: grey,
        pixels: runs(4_000_000),
      }),
  },
  {
    name: "bmp-empty-rows.bmp",
    make: () =>
      bmpFile({
        width: 30_000,
        height: 30_000,
        bits: 8,
        compression: 1,
        palette: grey,
        pixels: Buffer.alloc(20_000_000),
      }),
  },
  {
    name: "bmp-runs-of-nothing.bmp",
    make: () =>
      bmpFile({
        width: 1_000,
        height: 1_000,
        bits: 8,
        compression: 1,
        palette: grey,
        pixels: Buffer.alloc(40_000_000, Buffer.of(0, 2, 0, 0)),
      }),
  },
  {
    name: "xpm-colours.xpm",
    make: () =>
      Buffer.from(
        `/* XPM */\nstatic char *x[] = {\n"8 8 300000 4",\n${Array.from({ length: 300_000 }, (_, n) => `"${(n + 1_000_000).toString(36)} c #123456",\n`).join("")}${'"'.concat("lfls".repeat(8), '",\n').repeat(8)}};`,
      ),
  },
  {
    name: "xpm-pixels.xpm",
    make: () =>
      Buffer.from(
        `/* XPM */\nstatic char *x[] = {\n"8000 8000 1 1",\n"a c #fff",\n${`"${"a".repeat(8_000)}",\n`.repeat(8_000)}};`,
      ),
  },
  {
    name: "dicom-run-lengths.dcm",
    make: () =>
      dicomFile({
        syntax: ".5",
        elements: pixelElements({ width: 30_000, height: 30_000 }),
        pixels: { fragments: [packed(900_000_000)] },
      }),
  },
  {
    name: "dicom-deflated.dcm",
    make: () => {
      const file = dicomFile({
        syntax: ".1.99",
        elements: pixelElements({ width: 8, height: 8 }),
        pixels: new Uint8Array(64),
      });
      // All before the deflated rest, and then a billion zeros.
      const end = file.indexOf("1.2.840.10008.1.2.1.99") + 22;
      return Buffer.concat([file.subarray(0, end), deflateRawSync(Buffer.alloc(1_000_000_000))]);
    },
  },
  {
    name: "dicom-frames.dcm",
    make: () =>
      dicomFile({
        syntax: ".5",
        elements: pixelElements({ width: 1, height: 1, frames: 300_000 }),
        pixels: { fragments: Array.from({ length: 300_000 }, () => packed(1)) },
      }),
    page: 9_999,
  },
  {
    name: "dicom-fragments.dcm",
    make: () =>
      dicomFile({
        syntax: ".4.50",
        elements: pixelElements({ width: 512, height: 512 }),
        pixels: { fragments: Array.from({ length: 1_000_000 }, () => Buffer.alloc(2)) },
      }),
  },
  {
    name: "dicom-nested.dcm",
    make: () => {
      const file = dicomFile({
        elements: pixelElements({ width: 8, height: 8 }),
        pixels: new Uint8Array(64),
      });
      const at = file.indexOf("28000200", 132, "hex");
      return Buffer.concat([file.subarray(0, at), nested(500_000), file.subarray(at)]);
    },
  },
  {
    name: "dicom-elements.dcm",
    make: () => {
      const file = dicomFile({
        elements: pixelElements({ width: 8, height: 8 }),
        pixels: new Uint8Array(64),
      });
      const at = file.indexOf("28000200", 132, "hex");
      const element = Buffer.concat([Buffer.from("0900101055530200", "hex"), us(1)]);
      return Buffer.concat([
        file.subarray(0, at),
        Buffer.alloc(element.length * 2_000_000, element),
        file.subarray(at),
      ]);
    },
  },
  { name: "heic-items.heic", make: () => heif("heic", 5_000, 8) },
  { name: "heic-references.heic", make: () => heif("heic", 200, 16_384) },
  { name: "heic-grid.heic", make: () => heif("heic", 1, 16_384) },
  { name: "avif-items.avif", make: () => heif("avif", 5_000, 8) },
  { name: "avif-grid.avif", make: () => heif("avif", 1, 16_384) },
];
