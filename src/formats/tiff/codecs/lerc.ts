import type { LercData } from "lerc";
import { compressions, decodedBytes } from "../structure/index.ts";
import { bytesOf, checkSize, type Numbers, samplesPerPixel, type TileCodec } from "./codec.ts";
import type { SampleJob } from "./sample-job.ts";
import type { TileDecoder } from "./tile-decode.ts";

/**
 * LERC (34887): one blob per tile, with deflate or Zstandard over it where LercParameters says so.
 */
export const createLercCodec = async (decoder: TileDecoder): Promise<TileCodec> => {
  const lerc = await import("lerc");
  await lerc.load();
  return (job) => {
    const blob = blobOf(job, decoder);
    const { width, height, bandCount, depthCount, blobSize } = lerc.getBlobInfo(blob);
    checkSize(job, width, height);
    if (blobSize > blob.length)
      throw new Error(`a LERC blob has ${blob.length} of ${blobSize} bytes`);
    const found = bandCount * depthCount;
    const samples = samplesPerPixel(job);
    // All-or-nothing transparency has no samples: it is the mask that every blob may have.
    const masked = samples > 1 && found === samples - 1;
    if (!masked && found !== samples)
      throw new Error(`a LERC blob has ${found} numbers for ${samples} samples of a pixel`);
    const data = lerc.decode(blob, { returnInterleaved: true });
    const all = together(data, { samples, kind: kindOf(job, data) });
    if (masked) setLast(all, { samples, mask: data.mask, top: 2 ** job.layout.bits - 1 });
    return { samples: job.littleEndian ? all : turnedAround(all) };
  };
};

const beforeLerc: Readonly<Record<number, number>> = {
  1: compressions.deflate,
  2: compressions.zstd,
};

/** Maximum overhead of a blob of incompressible numbers in bytes. */
const maxBeside = 65_536;

const blobOf = (job: SampleJob, decoder: TileDecoder): Uint8Array => {
  if (job.beforeLerc === 0) return job.bytes;
  const compression = beforeLerc[job.beforeLerc];
  if (compression === undefined)
    throw new Error(`what is to be undone before LERC is unknown: ${job.beforeLerc}`);
  const { layout, bytes } = job;
  const max = 2 * decodedBytes(layout, layout.tile.height) + maxBeside;
  return Uint8Array.from(decoder.unpack(compression, bytes, max));
};

type LercKind = new (length: number) => Numbers;

const kinds: Readonly<Record<string, LercKind>> = {
  "signed 8": Int8Array,
  "unsigned 8": Uint8Array,
  "signed 16": Int16Array,
  "unsigned 16": Uint16Array,
  "signed 32": Int32Array,
  "unsigned 32": Uint32Array,
  "float 32": Float32Array,
  "float 64": Float64Array,
};

const kindOf = ({ layout }: SampleJob, { pixels, pixelType }: LercData): LercKind => {
  const stored = `${layout.sampleFormat} ${layout.bits}`;
  const kind = kinds[stored];
  if (kind === undefined || pixels.some((band) => !(band instanceof kind)))
    throw new Error(`a LERC blob has numbers of ${pixelType} for ${stored} bits`);
  return kind;
};

/** Interleaved values of all bands; masked ones are 0. */
const together = (
  { pixels, width, height, depthCount, mask, bandMasks }: LercData,
  { samples, kind }: { readonly samples: number; readonly kind: LercKind },
): Numbers => {
  const all = new kind(width * height * samples);
  for (const [band, numbers] of pixels.entries()) {
    const valid = bandMasks?.[band] ?? mask;
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (valid && valid[pixel] === 0) continue;
      const to = pixel * samples + band * depthCount;
      for (let deep = 0; deep < depthCount; deep++)
        all[to + deep] = numbers[pixel * depthCount + deep] ?? 0;
    }
  }
  return all;
};

const setLast = (
  all: Numbers,
  {
    samples,
    mask,
    top,
  }: { readonly samples: number; readonly mask: Uint8Array | null; readonly top: number },
): void => {
  for (let at = samples - 1, pixel = 0; at < all.length; at += samples, pixel++)
    all[at] = mask && mask[pixel] === 0 ? 0 : top;
};

/** libtiff swaps bytes before it passes them to LERC, where the file is big-endian. */
const turnedAround = <T extends Numbers>(numbers: T): Numbers => {
  const bytes = bytesOf(numbers, false);
  const kind = numbers.constructor as new (buffer: ArrayBufferLike) => Numbers;
  return new kind(bytes.buffer);
};
