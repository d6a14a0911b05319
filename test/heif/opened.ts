import { expect } from "vitest";
import { Config } from "../../src/config/store.ts";
import type { ImageInfo } from "../../src/core/info.ts";
import type { RangeReader } from "../../src/core/range-reader.ts";
import { createCodecs } from "../../src/formats/index.ts";
import { Resources } from "../../src/formats/pool/resources.ts";
import { sniff } from "../../src/formats/sniff.ts";
import { plan } from "../plans.ts";

const signal = new AbortController().signal;

/** A file as its format's decoder reads it. */
export interface Opened {
  readonly info: ImageInfo;
  /** Mean of each channel of a page, counted from 0, or of a part of it. */
  readonly colour: (
    page: number,
    options?: { readonly known?: ImageInfo; readonly part?: Part },
  ) => Promise<number[]>;
}

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Opens a file with the decoder of its detected format, with further settings. */
export const opened = async (
  reader: RangeReader,
  values: Record<string, unknown> = {},
): Promise<Opened> => {
  const codecs = createCodecs(new Resources(new Config({ "processor.timeout": 0, ...values })));
  const format = await sniff(reader, signal);
  const { decoder } = format === undefined ? {} : await codecs(format);
  if (decoder === undefined) throw new Error(`Expected a decoder, got none for ${format}`);
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[0];
  return {
    info,
    async colour(page, { known = info, part } = {}) {
      const region = part ?? { x: 0, y: 0, ...size };
      const window = { page, region, atLeast: region };
      const { image, covers } = await decoder.read(reader, known, window, plan, signal);
      const { x, y, width, height } = region;
      const piece = image.extract({ left: x - covers.x, top: y - covers.y, width, height });
      const { data, info: raw } = await piece.raw().toBuffer({ resolveWithObject: true });
      const sums = Array.from({ length: raw.channels }, () => 0);
      for (const [at, value] of data.entries()) {
        const channel = at % raw.channels;
        sums[channel] = (sums[channel] ?? 0) + value;
      }
      return sums.map((sum) => Math.round(sum / (width * height)));
    },
  };
};

/** Matches values that differ by at most 3, as those of lossily compressed images. */
export const near = (wanted: readonly number[]): unknown[] =>
  wanted.map((value) => expect.toSatisfy((found: number) => Math.abs(found - value) <= 3));
