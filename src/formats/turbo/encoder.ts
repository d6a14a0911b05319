import type Turbo from "@julusian/jpeg-turbo";
import type { Size } from "../../core/geometry.ts";
import { asBuffer } from "./buffer.ts";

/** Pixels, row after row, to be encoded as a JPEG. */
export interface EncoderInput {
  readonly size: Size;
  /** Samples per pixel: 1 grey, 3 RGB. */
  readonly samples: 1 | 3;
  /** 1 to 100. */
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
  /** Pixels from the start of one row to the next, where rows are padded. */
  readonly stride?: number;
}

/** Makes JPEGs of pixels, in memory of exactly their size, so that it can be transferred. */
export type TileEncoder = (picture: EncoderInput, pixels: Uint8Array) => Uint8Array;

/** An encoder for one thread; it reuses its output memory, up to a few megabytes. */
export const createTileEncoder = (turbo: typeof Turbo): TileEncoder => {
  let kept: Buffer | undefined;
  return ({ size, stride = size.width, samples, quality, subsampling }, pixels) => {
    const options = {
      width: size.width,
      height: size.height,
      stride,
      format: samples === 1 ? turbo.FORMAT_GRAY : turbo.FORMAT_RGB,
      subsampling:
        samples === 1 ? turbo.SAMP_GRAY : subsampling === "4:4:4" ? turbo.SAMP_444 : turbo.SAMP_420,
      quality,
    };
    const needed = turbo.bufferSize(options);
    const room = kept && kept.length >= needed ? kept : Buffer.allocUnsafeSlow(needed);
    if (needed <= maxKept) kept = room;
    return new Uint8Array(turbo.compressSync(asBuffer(pixels), room, options));
  };
};

const maxKept = 4_194_304;
