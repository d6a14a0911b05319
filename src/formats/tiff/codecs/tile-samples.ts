import { round } from "../../../core/geometry.ts";
import { decodedBytes } from "../structure/index.ts";
import { bytesOf, type Decoded, samplesPerPixel } from "./codec.ts";
import { createTileCodecs } from "./codecs.ts";
import type { SampleJob, WantedSamples } from "./sample-job.ts";
import { samplesOf } from "./samples.ts";
import { isLab, labToSrgb, outputBits, scaling } from "./scale.ts";
import type { TileDecoder } from "./tile-decode.ts";
import { type YccMeaning, yccToRgb } from "./ycc.ts";

/** Decodes tiles into samples on the calling thread; throws where one is corrupt. */
export const createSampleDecoder = (
  decoder: TileDecoder,
): ((job: SampleJob) => Promise<Uint8Array>) => {
  const codecOf = createTileCodecs(decoder);
  return async (job) => {
    const codec = await codecOf(job.layout.compression);
    const found = codec(job);
    // Memory that the next call overwrites must be used before another job runs.
    const decoded = found instanceof Promise ? await found : found;
    return job.wanted ? rewritten(job, job.wanted, decoded) : asUncompressed(job, decoded);
  };
};

const asUncompressed = (job: SampleJob, decoded: Decoded): Uint8Array => {
  const { layout, rows, littleEndian } = job;
  if ("samples" in decoded && decoded.samples.BYTES_PER_ELEMENT * 8 !== layout.bits)
    throw new Error(`a tile has other samples than those of ${layout.bits} bits`);
  const bytes = "bytes" in decoded ? decoded.bytes : bytesOf(decoded.samples, littleEndian);
  const length = decodedBytes(layout, rows);
  checkLength(bytes, length);
  // In memory of its own, so that it can be transferred.
  return Uint8Array.from(bytes.subarray(0, length));
};

const checkLength = (bytes: Uint8Array, length: number): void => {
  if (bytes.length < length) throw new Error(`a tile has ${bytes.length} of ${length} bytes`);
};

type TileRow = (from: number, to: number) => void;

const rewritten = (job: SampleJob, wanted: WantedSamples, decoded: Decoded): Uint8Array => {
  const { layout, rows, littleEndian } = job;
  const { size, channels } = wanted;
  const samples = numbersOf(job, decoded);
  const count = size.width * size.height * channels.length;
  const out = outputBits(layout) === 8 ? new Uint8Array(count) : new Uint16Array(count);
  const put = rowOf(job, wanted, { samples, out });
  const stride = samplesPerPixel(job);
  for (let y = 0; y < Math.min(rows, size.height); y++)
    put(y * layout.tile.width * stride, y * size.width * channels.length);
  return bytesOf(out, littleEndian);
};

const numbersOf = (job: SampleJob, decoded: Decoded): ArrayLike<number> => {
  if ("samples" in decoded) return decoded.samples;
  const { layout, rows, littleEndian } = job;
  checkLength(decoded.bytes, decodedBytes(layout, rows));
  return samplesOf(layout, decoded.bytes, { littleEndian, rows });
};

interface Way {
  readonly samples: ArrayLike<number>;
  readonly out: Uint8Array | Uint16Array;
}

const rowOf = (job: SampleJob, wanted: WantedSamples, way: Way): TileRow => {
  if (isLab(job.layout)) return labRow(job, wanted, way);
  return wanted.ycc
    ? yccRow(job, wanted, { ...way, ycc: wanted.ycc })
    : scaledRow(job, wanted, way);
};

const scaledRow = (job: SampleJob, wanted: WantedSamples, { samples, out }: Way): TileRow => {
  const { size, channels } = wanted;
  const scale = scaling(job.layout, wanted);
  const stride = samplesPerPixel(job);
  return (from, to) => {
    for (const [index, channel] of channels.entries())
      for (let x = 0; x < size.width; x++)
        out[to + x * channels.length + index] = round(
          scale(samples[from + x * stride + channel] ?? 0),
        );
  };
};

const yccRow = (
  job: SampleJob,
  { size, channels }: WantedSamples,
  { samples, out, ycc }: Way & { readonly ycc: YccMeaning },
): TileRow => {
  const stride = samplesPerPixel(job);
  const toRgb = yccToRgb(ycc);
  const [alpha] = channels.slice(3);
  return (first, start) => {
    for (let x = 0; x < size.width; x++) {
      const from = first + x * stride;
      const to = start + x * channels.length;
      const rgb = toRgb(samples[from] ?? 0, samples[from + 1] ?? 0, samples[from + 2] ?? 0);
      for (const [index, value] of rgb.entries()) out[to + index] = round(value);
      if (alpha !== undefined) out[to + 3] = samples[from + alpha] ?? 0;
    }
  };
};

const labRow = ({ layout }: SampleJob, wanted: WantedSamples, { samples, out }: Way): TileRow => {
  const { size, channels } = wanted;
  const [alpha] = channels.slice(3);
  return (first, start) => {
    for (let x = 0; x < size.width; x++) {
      const from = first + x * layout.samples;
      const to = start + x * channels.length;
      const lab = [samples[from] ?? 0, samples[from + 1] ?? 0, samples[from + 2] ?? 0] as const;
      for (const [index, value] of labToSrgb(layout, lab).entries()) out[to + index] = round(value);
      if (alpha !== undefined)
        out[to + 3] = round((samples[from + alpha] ?? 0) / 2 ** (layout.bits - 8));
    }
  };
};
