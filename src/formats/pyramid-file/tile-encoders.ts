import sharp, { type Sharp } from "sharp";
import { fail } from "../../core/errors.ts";
import { headSegments, isApplication, markers } from "../jpeg-segments.ts";
import type { Field } from "../tiff-assembly.ts";
import { compressions, photometrics, tags } from "../tiff-tags.ts";
import { longs, plainBytes, shorts, types } from "./directories.ts";
import { hasAlpha, type Layout, type Samples } from "./samples.ts";
import { createZstdEncoder } from "./zstd.ts";

/** How tiles may be compressed. */
export const tileCompressions = ["jpeg", "webp", "deflate", "zstd", "lzw", "none"] as const;
export type TileCompression = (typeof tileCompressions)[number];

/** How tiles are encoded. */
export interface TileEncoding {
  readonly compression: TileCompression;
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality: number;
  /** Both sides of a tile, in pixels. */
  readonly tile: number;
}

/** Encodes the tiles of a file. */
export interface TileEncoder {
  /** A tile's bytes as they stand in the file. Its samples are used up. */
  encode(samples: Samples): Promise<Uint8Array>;
  /** The fields by which tiles are read; once all of them are encoded. */
  fields(): readonly Field[];
}

/** Whether a compression has no loss, and so keeps 16 bits and whatever else there is. */
export const isLossless = (compression: TileCompression): boolean =>
  compression !== "jpeg" && compression !== "webp";

/** What encodes the tiles of a picture. */
export const createTileEncoder = async (
  encoding: TileEncoding,
  layout: Layout,
): Promise<TileEncoder> => {
  switch (encoding.compression) {
    case "jpeg":
      return jpegTiles(encoding, layout);
    case "webp":
      return webpTiles(encoding, layout);
    case "zstd": {
      const encoder = await createZstdEncoder();
      const encode = async (samples: Samples) =>
        encoder(bytesOf(toDifferences(samples, encoding.tile, layout.samples)));
      return { encode, fields: () => [compressed(compressions.zstd), predicted, ...plain(layout)] };
    }
    case "none": {
      const encode = async (samples: Samples) => bytesOf(samples);
      return { encode, fields: () => [compressed(compressions.none), ...plain(layout)] };
    }
    default:
      return libtiffTiles(encoding, layout);
  }
};

const compressed = (value: number): Field => shorts(tags.compression, value);

/** Rows are stored as differences (TIFF 6.0, section 14). */
const predicted = shorts(tags.predictor, 2);

/** Samples that are what they are. */
const plain = ({ samples }: Layout): readonly Field[] => [
  shorts(tags.photometric, samples < 3 ? photometrics.blackIsZero : photometrics.rgb),
];

const bytesOf = ({ buffer, byteOffset, byteLength }: Samples): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const imageOf = (samples: Samples, tile: number, layout: Layout): Sharp =>
  sharp(samples, { raw: { width: tile, height: tile, channels: layout.samples } }).toColourspace(
    layout.bits === 16
      ? layout.samples < 3
        ? "grey16"
        : "rgb16"
      : layout.samples < 3
        ? "b-w"
        : "srgb",
  );

/** From here on, JPEGs keep colour at full resolution. */
const fullColour = 90;

/**
 * JPEG, its tables once for all tiles (TIFF Technical Note 2): libjpeg writes the same ones into each, as
 * long as they are not made to measure.
 */
const jpegTiles = ({ tile, quality }: TileEncoding, layout: Layout): TileEncoder => {
  const halved = quality < fullColour;
  const options = {
    quality,
    chromaSubsampling: halved ? "4:2:0" : "4:4:4",
    quantisationTable: 3,
    optimiseCoding: false,
  };
  let tables: Uint8Array | undefined;
  const colour = layout.samples === 3;
  return {
    async encode(samples) {
      const jpeg = await imageOf(samples, tile, layout).jpeg(options).toBuffer();
      const parts = partsOf(jpeg);
      tables ??= parts.tables;
      return Buffer.compare(tables, parts.tables) === 0 ? parts.rest : jpeg;
    },
    fields: () => [
      compressed(compressions.jpeg),
      shorts(tags.photometric, colour ? photometrics.yCbCr : photometrics.blackIsZero),
      ...(tables === undefined ? [] : [plainBytes(tags.jpegTables, types.undefined, tables)]),
      ...(colour ? colourFields(halved) : []),
    ],
  };
};

/** How YCbCr of the full range is sampled and meant (TIFF 6.0, sections 20 and 21). */
const colourFields = (halved: boolean): readonly Field[] => {
  const range = longs(
    tags.referenceBlackWhite,
    ...[0, 255, 128, 255, 128, 255].flatMap((n) => [n, 1]),
  );
  return [
    shorts(tags.yCbCrSubSampling, ...(halved ? [2, 2] : [1, 1])),
    { ...range, type: types.rational, count: 6 },
  ];
};

/** A JPEG's tables as a stream of their own, and the rest of it without what says nothing in a TIFF. */
const partsOf = (jpeg: Uint8Array): { readonly tables: Uint8Array; readonly rest: Uint8Array } => {
  const start = jpeg.subarray(0, 2);
  const tables = [start];
  const rest = [start];
  let from = 2;
  const segments =
    headSegments(jpeg) ?? fail("internal", "Expected the encoder to write a JPEG; it did not.");
  for (const { marker, at, end } of segments) {
    if (marker === markers.quantisation || marker === markers.huffman)
      tables.push(jpeg.subarray(at, end));
    else if (!isApplication(marker)) rest.push(jpeg.subarray(at, end));
    from = end;
  }
  tables.push(Uint8Array.of(0xff, markers.endOfImage));
  return { tables: Buffer.concat(tables), rest: Buffer.concat([...rest, jpeg.subarray(from)]) };
};

/** WebP, one file for each tile; it has no shades of grey by themselves. */
const webpTiles = ({ tile, quality }: TileEncoding, layout: Layout): TileEncoder => ({
  encode: (samples) =>
    imageOf(samples, tile, layout)
      .toColourspace("srgb")
      .webp({ quality, effort: 2, smartSubsample: false })
      .toBuffer(),
  fields: () => [compressed(compressions.webp), shorts(tags.photometric, photometrics.rgb)],
});

/** What libtiff writes as the only tile of a file is a tile of any file. */
const libtiffTiles = ({ tile, compression }: TileEncoding, layout: Layout): TileEncoder => {
  const kind = compression === "lzw" ? "lzw" : "deflate";
  return {
    async encode(samples) {
      const file = await imageOf(samples, tile, layout)
        .tiff({
          compression: kind,
          predictor: "horizontal",
          tile: true,
          tileWidth: tile,
          tileHeight: tile,
        })
        .toBuffer();
      return soleTile(file);
    },
    fields: () => [compressed(compressions[kind]), predicted, ...plain(layout)],
  };
};

const entrySize = 12;

/** The bytes of the one tile of a classic TIFF that libtiff has written on this machine. */
const soleTile = (file: Buffer): Uint8Array => {
  const directory = file.readUInt32LE(4);
  let offset = 0;
  let length = 0;
  for (let n = 0; n < file.readUInt16LE(directory); n++) {
    const entry = directory + 2 + n * entrySize;
    const tag = file.readUInt16LE(entry);
    const isShort = file.readUInt16LE(entry + 2) === types.short;
    const value = isShort ? file.readUInt16LE(entry + 8) : file.readUInt32LE(entry + 8);
    if (tag === tags.tileOffsets) offset = value;
    if (tag === tags.tileByteCounts) length = value;
  }
  if (offset === 0 || length === 0)
    fail("internal", "Expected libtiff to write one tile; there is none in its file.");
  return file.subarray(offset, offset + length);
};

/** Each sample but the first of a row less the one before it, in place. */
const toDifferences = (samples: Samples, tile: number, perPixel: number): Samples => {
  const stride = tile * perPixel;
  for (let row = 0; row < samples.length; row += stride)
    for (let at = row + stride - 1; at >= row + perPixel; at--)
      samples[at] = (samples[at] as number) - (samples[at - perPixel] as number);
  return samples;
};

/** How many samples the tiles of a compression have where the picture has so many. */
export const samplesFor = (
  compression: TileCompression,
  samples: Layout["samples"],
): Layout["samples"] => {
  if (compression === "jpeg") return samples < 3 ? 1 : 3;
  return compression === "webp" ? (hasAlpha({ samples }) ? 4 : 3) : samples;
};
