import type Turbo from "@julusian/jpeg-turbo";
import { area } from "../../../core/geometry.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { asBuffer } from "../../turbo/index.ts";
import type { Unpacker } from "../../wasm/index.ts";
import { compressions } from "../structure/index.ts";
import { kernelUnpackers } from "./kernel-unpackers.ts";
import type { TileKind } from "./tile-kind.ts";
import { createWebpUnpacker } from "./webp-unpacker.ts";

/** Half-open range of rows, counted from 0. */
export type TileRows = readonly [number, number];

/** Decodes stored tiles on the calling thread. */
export interface TileDecoder {
  /**
   * A tile's pixels, row after row without gaps; only those of `rows` need be right, by default
   * all. They may be in memory that the next call overwrites, and must not be changed. Throws where
   * the tile is corrupt.
   */
  decode(bytes: Uint8Array, kind: TileKind, rows?: TileRows): Uint8Array;
  /**
   * Input memory for a tile that is then decoded without copying; valid only until the next call of
   * any of these.
   */
  room(length: number): Uint8Array;
  /** Decompresses a lossless compression to `length` bytes or fewer; as for `decode`. */
  unpack(compression: number, bytes: Uint8Array, length: number): Uint8Array;
}

/** A decoder for one thread; without libjpeg-turbo it throws at JPEG tiles. */
export const createTileDecoder = async (turbo?: typeof Turbo): Promise<TileDecoder> => {
  const tiles = await compileWasm("tiles");
  const kernels = kernelUnpackers(tiles);
  const unpackers = new Map([
    ...kernels.unpackers,
    [compressions.webp, await createWebpUnpacker(tiles)],
  ]);
  const unpackerOf = (compression: number): Unpacker => {
    const unpacker = unpackers.get(compression);
    if (unpacker) return unpacker;
    throw new Error(`compression ${compression} is none that can be undone here`);
  };
  const jpegs = turbo && jpegDecoder(turbo);
  return {
    room: kernels.room,
    decode(bytes, kind, rows = [0, kind.tile.height]) {
      const { tile, samples, compression, predictor } = kind;
      if (compression === compressions.jpeg) {
        if (jpegs === undefined) throw new Error("there is no decoder of JPEG here");
        return jpegs(bytes, kind);
      }
      const length = area(tile) * samples;
      const pixels = unpackerOf(compression).unpack(bytes, {
        max: maxOf(compression, length),
        size: tile,
        differences: predictor === 2 ? { width: tile.width, samples, rows } : undefined,
      });
      if (pixels.length < length) throw new Error(`a tile has ${pixels.length} of ${length} bytes`);
      return pixels;
    },
    unpack(compression, bytes, length) {
      const max = maxOf(compression, length);
      return unpackerOf(compression).unpack(bytes, { max }).subarray(0, length);
    },
  };
};

/** Bytes that zlib encoders may append after the last used one. */
const slack = 65_536;

const maxOf = (compression: number, length: number): number =>
  compression === compressions.deflate || compression === compressions.oldDeflate
    ? length + slack
    : length;

/** A decoder of complete JPEG tiles, into memory that it reuses. */
const jpegDecoder = (turbo: typeof Turbo) => {
  let kept = Buffer.alloc(0);
  return (bytes: Uint8Array, { tile, samples }: TileKind): Uint8Array => {
    const needed = area(tile) * samples;
    if (kept.length < needed) kept = Buffer.allocUnsafeSlow(needed);
    const format = samples === 1 ? turbo.FORMAT_GRAY : turbo.FORMAT_RGB;
    const { data, width, height } = turbo.decompressSync(asBuffer(bytes), kept, { format });
    if (width !== tile.width || height !== tile.height)
      throw new Error(`a tile has ${width} x ${height} pixels`);
    return data;
  };
};
