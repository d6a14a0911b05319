import sharp, { type Sharp } from "sharp";
import { allOf } from "../../../core/all-of.ts";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { headSegments, isApplication, markers } from "../../containers/index.ts";
import { memorySource } from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import { createTileEncoder as createTurboEncoder, loadTurbo } from "../../turbo/index.ts";
import { noZstdEncoder, subsamplingOf, zstdEncoder } from "../index.ts";
import { libtiffLevels } from "./libtiff-levels.ts";
import { cutTile, newSamples, type PyramidSamples, type SampleLayout } from "./samples.ts";
import {
  encodingFields,
  libtiffOptions,
  spaceOf,
  type TileEncoding,
  writtenByLibtiff,
} from "./tile-encoding.ts";

/** A row of whole tiles, whose pixel rows span all tiles. */
export interface TileRow {
  readonly samples: PyramidSamples;
  /** Number of tiles. */
  readonly across: number;
}

/** Destination of encoded tiles. */
export interface TileSink {
  /** Writes the bytes of a tile as in the file; the caller may reuse them once it resolves. */
  store(column: number, bytes: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

/** Encodes the tiles of a file. */
export interface TileEncoder {
  /** Encodes a row of tiles; no writes are in flight once it settles, even where it fails. */
  encode(row: TileRow, sink: TileSink): Promise<void>;
  /** The fields that tiles are decoded by; once all of them are encoded. */
  fields(): readonly AssembledField[];
}

/** Creates the encoder for an image's tiles. */
export const createTileEncoder = async (
  encoding: TileEncoding,
  layout: SampleLayout,
): Promise<TileEncoder> => {
  switch (encoding.compression) {
    case "jpeg":
      return writtenByLibtiff(encoding, layout)
        ? libtiffRows("jpeg", encoding, layout)
        : jpegTiles(encoding, layout);
    case "webp":
      return webpTiles(encoding, layout);
    case "zstd": {
      const encoder = zstdEncoder() ?? fail("unimplemented", noZstdEncoder());
      return {
        encode: tileByTile(encoding, layout, (samples) =>
          encoder(bytesOf(toDifferences(samples, encoding.tile, layout.samples))),
        ),
        fields: () => encodingFields("zstd", encoding, layout),
      };
    }
    case "none":
      return {
        encode: tileByTile(encoding, layout, async (samples) => bytesOf(samples)),
        fields: () => encodingFields("none", encoding, layout),
      };
    default:
      return libtiffRows(encoding.compression, encoding, layout);
  }
};

const bytesOf = ({ buffer, byteOffset, byteLength }: PyramidSamples): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const imageOf = (samples: PyramidSamples, size: Size, layout: SampleLayout): Sharp =>
  sharp(samples, {
    raw: { ...size, channels: layout.samples },
    limitInputPixels: false,
  }).toColourspace(spaceOf(layout));

/** Encodes each tile by itself; the samples belong to `encode` until it settles. */
const tileByTile =
  (
    { tile }: TileEncoding,
    layout: SampleLayout,
    encode: (samples: PyramidSamples) => Promise<Uint8Array>,
  ): TileEncoder["encode"] =>
  async ({ samples, across }, { store, signal }) => {
    let next = 0;
    const work = async (): Promise<void> => {
      const cut = newSamples(layout, tile * tile * layout.samples);
      while (next < across) {
        signal.throwIfAborted();
        const column = next++;
        cutTile(samples, { column, across, tile }, cut);
        await store(column, await encode(cut));
      }
    };
    await allOf(Array.from({ length: Math.min(concurrentTiles, across) }, work));
  };

/** As many as libvips' pool has threads. */
export const concurrentTiles = 4;

const jpegTiles = (encoding: TileEncoding, layout: SampleLayout): TileEncoder => {
  const { encode, fields } = jpegImages(encoding, layout);
  return {
    encode: tileByTile(encoding, layout, (samples) => encode(bytesOf(samples))),
    fields,
  };
};

/**
 * Encodes the pixels of tiles, in 8 bits, as JPEG. Their tables are stored once for all tiles (TIFF
 * Technical Note 2): libjpeg writes the same ones into each, unless they are optimised.
 */
export const jpegImages = (encoding: TileEncoding, layout: SampleLayout) => {
  const encoder = jpegEncoder(encoding, layout);
  let tables: Uint8Array | undefined;
  return {
    encode: async (pixels: Uint8Array): Promise<Uint8Array> => {
      const jpeg = await (await encoder)(pixels);
      const parts = partsOf(jpeg);
      tables ??= parts.tables;
      return Buffer.compare(tables, parts.tables) === 0 ? parts.rest : jpeg;
    },
    fields: () => encodingFields("jpeg", encoding, layout, { jpegTables: tables }),
  };
};

/** Makes a JPEG of a tile's pixels. */
type JpegEncoder = (pixels: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** libjpeg-turbo, where it is installed: it takes half the time of a pipeline of libvips. */
const jpegEncoder = async (
  { quality, tile }: TileEncoding,
  layout: SampleLayout,
): Promise<JpegEncoder> => {
  const size = { width: tile, height: tile };
  const subsampling = subsamplingOf(quality);
  const turbo = await loadTurbo();
  const samples = layout.samples < 3 ? 1 : 3;
  if (turbo && samples === layout.samples) {
    const encode = createTurboEncoder(turbo);
    return (pixels) => encode({ size, samples, quality, subsampling }, pixels);
  }
  const options = { quality, chromaSubsampling: subsampling, optimiseCoding: false };
  return (pixels) => imageOf(pixels, size, layout).jpeg(options).toBuffer();
};

/**
 * A JPEG's tables as a stream of their own, and the rest of it without segments that are
 * meaningless in a TIFF.
 */
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

/** WebP, one file per tile; it has no grey mode. */
const webpTiles = (encoding: TileEncoding, layout: SampleLayout): TileEncoder => {
  const { tile, quality } = encoding;
  return {
    encode: tileByTile(encoding, layout, (samples) =>
      imageOf(samples, { width: tile, height: tile }, layout)
        .toColourspace("srgb")
        .webp({ quality, effort: 2, smartSubsample: false })
        .toBuffer(),
    ),
    fields: () => encodingFields("webp", encoding, layout),
  };
};

/**
 * Tiles of a file written by libtiff can be used in any file: a row of them at a time costs the
 * least.
 */
const libtiffRows = (
  compression: "jpeg" | "deflate" | "lzw",
  encoding: TileEncoding,
  layout: SampleLayout,
): TileEncoder => {
  let tables: Uint8Array | undefined;
  return {
    async encode({ samples, across }, { store }) {
      const size = { width: across * encoding.tile, height: encoding.tile };
      const file = await imageOf(samples, size, layout).tiff(libtiffOptions(encoding)).toBuffer();
      const [level] = await libtiffLevels(memorySource(file));
      if (level?.offsets.length !== across)
        return fail("internal", `Expected libtiff to write ${across} tiles; it did not.`);
      tables ??= level.jpegTables;
      if (tables && !(level.jpegTables && Buffer.compare(tables, level.jpegTables) === 0))
        fail("internal", "Expected libtiff to write the same tables for all tiles; it did not.");
      for (let column = 0; column < across; column++) {
        const [at = 0, length = 0] = [level.offsets[column], level.lengths[column]];
        await store(column, file.subarray(at, at + length));
      }
    },
    fields: () => encodingFields(compression, encoding, layout, { jpegTables: tables }),
  };
};

/** Replaces each sample but the first of a row by its difference from the one before, in place. */
const toDifferences = (samples: PyramidSamples, tile: number, perPixel: number): PyramidSamples => {
  const stride = tile * perPixel;
  for (let row = 0; row < samples.length; row += stride)
    for (let at = row + stride - 1; at >= row + perPixel; at--)
      samples[at] = (samples[at] as number) - (samples[at - perPixel] as number);
  return samples;
};
