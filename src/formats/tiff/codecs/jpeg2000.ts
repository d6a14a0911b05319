import { fail } from "../../../core/errors.ts";
import { area } from "../../../core/geometry.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import {
  type Codestream,
  type CodestreamPlace,
  createCodestreamDecoder,
  loadReconstruction,
  openCodestream,
  type Plane,
  runHere,
} from "../../jpeg2000/codestream/index.ts";
import { compressions, photometrics } from "../structure/index.ts";
import { checkSize, type Numbers, samplesPerPixel, type TileCodec } from "./codec.ts";
import type { SampleJob } from "./sample-job.ts";

/** A tile is decoded once, as a whole: nothing of it need be cached. */
const limits = { indexBytes: 1_048_576, blockBytes: 0, answerBytes: 1_073_741_824 };

/**
 * JPEG 2000 (34712; 33003 and 33005 of Aperio; 33004 of libvips): one codestream or JP2 per tile.
 */
export const createJpeg2000Codec = async (): Promise<TileCodec> => {
  const decoder = createCodestreamDecoder(() => limits, runHere(await loadReconstruction()));
  // The pool ends the thread of a job that nobody waits for.
  const { signal } = new AbortController();
  return async (job) => {
    const reader = readerOf(job.bytes);
    const codestream = await openCodestream(reader, codestreamIn(job.bytes), signal);
    check(job, codestream);
    checkWhole(job.bytes, codestream.end);
    const { width, height } = codestream.header.image;
    const region = { x: 0, y: 0, width, height };
    const { planes } = await decoder.decodeRegion({
      codestream,
      reader,
      region,
      reduce: 0,
      signal,
    });
    return { samples: samplesIn(job, codestream, planes) };
  };
};

const readerOf = (bytes: Uint8Array): RangeReader => ({
  size: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
  stream: () => fail("internal", "Expected a tile to be read by ranges."),
  close: async () => {},
});

/**
 * Throws, before anything is decoded, where the codestream is not the tile that the TIFF describes.
 */
const check = (job: SampleJob, { header: { image, components } }: Codestream): void => {
  checkSize(job, image.width, image.height);
  if (components.length !== samplesPerPixel(job))
    throw new Error(`a JPEG 2000 has ${components.length} components of ${samplesPerPixel(job)}`);
  const deepest = Math.max(...components.map(({ precision }) => precision));
  if (deepest > job.layout.bits)
    throw new Error(`a JPEG 2000 has samples of ${deepest} bits for ${job.layout.bits}`);
};

/** Throws for a truncated codestream: missing parts of a tile would count as zero. */
const checkWhole = (bytes: Uint8Array, firstTilePart: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = firstTilePart;
  while (at + startOfTilePartBytes <= bytes.length && view.getUint16(at) === startOfTilePart) {
    const length = view.getUint32(at + 6);
    // 0: up to the end of the codestream, which only its marker shows.
    if (length === 0 && !endsWhole(bytes)) throw new Error("a JPEG 2000 ends too early");
    if (length < startOfTilePartBytes) return;
    at += length;
  }
  if (at > bytes.length) throw new Error("a JPEG 2000 ends too early");
};

/** Whether there is an EOC (A.4.4), which writers may follow by a few bytes. */
const endsWhole = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .subarray(-maxBehindEnd)
    .includes(endOfCodestream);

/** SOT: marker, length, tile, length of the tile-part, its number, number of parts (A.4.2). */
const startOfTilePart = 0xff90;
const startOfTilePartBytes = 12;
const endOfCodestream = Buffer.from([0xff, 0xd9]);
const maxBehindEnd = 4_096;

/** The start of the codestream: at once, or within a JP2 box (ISO/IEC 15444-1, annex I). */
const codestreamIn = (bytes: Uint8Array): CodestreamPlace => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { byteLength } = view;
  if (byteLength < 2 || view.getUint16(0) === startOfCodestream)
    return { offset: 0, length: byteLength };
  let at = 0;
  while (at + 8 <= byteLength) {
    const length = view.getUint32(at);
    const offset = at + (length === 1 ? 16 : 8);
    if (view.getUint32(at + 4) === codestreamBox) return { offset, length: byteLength - offset };
    if (length < 8) break;
    at += length;
  }
  throw new Error("a JP2 has no codestream");
};

/** SOC (A.4.1). */
const startOfCodestream = 0xff4f;
const codestreamBox = 0x6a703263;

const samplesIn = (
  job: SampleJob,
  { header: { image, transformed } }: Codestream,
  planes: readonly Plane[],
): Numbers => {
  const samples = planes.length;
  const all = new (kindOf(job))(area(image) * samples);
  for (const [index, plane] of planes.entries()) {
    if (plane.width * plane.height === 0) throw new Error("a JPEG 2000 has an empty component");
    const plus = levelShift(job, plane);
    const rows = standIns(image.y, image.height, {
      step: plane.dy,
      first: plane.y,
      count: plane.height,
    });
    const columns = standIns(image.x, image.width, {
      step: plane.dx,
      first: plane.x,
      count: plane.width,
    });
    let to = index;
    for (const row of rows)
      for (const column of columns) {
        all[to] = (plane.samples[row * plane.width + column] ?? 0) + plus;
        to += samples;
      }
  }
  if (isYcc(job, planes, transformed)) toRgb(all, { samples, bits: job.layout.bits });
  return all;
};

/**
 * For each of `length` positions on the reference grid, the index of the component's sample that
 * covers it (B.2), counted from its first one.
 */
const standIns = (
  from: number,
  length: number,
  { step, first, count }: Readonly<Record<"step" | "first" | "count", number>>,
): Int32Array =>
  Int32Array.from({ length }, (_, at) =>
    Math.min(Math.max(0, Math.floor((from + at) / step) - first), count - 1),
  );

/** The conversion of a component's values to the TIFF's. */
const levelShift = ({ layout }: SampleJob, { signed, precision }: Plane): number =>
  signed && layout.sampleFormat === "unsigned" ? 2 ** (precision - 1) : 0;

const kindOf = ({ layout }: SampleJob) => {
  const { bits, sampleFormat } = layout;
  if (sampleFormat === "float" || bits > 31)
    throw new Error(`JPEG 2000 has no samples of ${sampleFormat} ${bits} bits`);
  if (sampleFormat === "signed")
    return bits <= 8 ? Int8Array : bits <= 16 ? Int16Array : Int32Array;
  return bits <= 8 ? Uint8Array : bits <= 16 ? Uint16Array : Uint32Array;
};

/**
 * Aperio's 33003 and others store YCbCr untransformed, which only the TIFF or the sampling reveals;
 * libvips first converts three components to YCbCr, and lets the codestream transform that once
 * more.
 */
const isYcc = (
  { layout }: SampleJob,
  components: readonly Plane[],
  transformed: boolean,
): boolean => {
  if (components.length < 3 || layout.sampleFormat !== "unsigned") return false;
  if (layout.compression === compressions.jpeg2000OfVips) return components.length === 3;
  if (transformed) return false;
  return (
    layout.compression === compressions.jpeg2000OfYcc ||
    layout.photometric === photometrics.yCbCr ||
    components.slice(1, 3).every(({ dx, dy }) => dx > 1 || dy > 1)
  );
};

/** ITU-R BT.601 with the full range of values, as in JPEG. */
const toRgb = (
  numbers: Numbers,
  { samples, bits }: { readonly samples: number; readonly bits: number },
): void => {
  const top = 2 ** bits - 1;
  const middle = 2 ** (bits - 1);
  const clamp = (value: number): number => Math.max(0, Math.min(top, Math.round(value)));
  for (let at = 0; at < numbers.length; at += samples) {
    const y = numbers[at] ?? 0;
    const blue = (numbers[at + 1] ?? 0) - middle;
    const red = (numbers[at + 2] ?? 0) - middle;
    numbers[at] = clamp(y + 1.402 * red);
    numbers[at + 1] = clamp(y - 0.344_136 * blue - 0.714_136 * red);
    numbers[at + 2] = clamp(y + 1.772 * blue);
  }
};
