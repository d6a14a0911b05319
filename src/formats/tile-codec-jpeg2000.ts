import { area } from "../core/geometry.ts";
import { compileWasm } from "../core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "./heap-codec.ts";
import { passOverTileLengths } from "./openjpeg-markers.ts";
import type { SampleJob } from "./sample-job.ts";
import { compressions, photometrics } from "./tiff-tags.ts";
import { checkSize, type Numbers, samplesPerPixel, type TileCodec } from "./tile-codec.ts";
import { Renewed } from "./unpacker.ts";

interface Jpeg2000 extends HeapCodec {
  /** Reads what a picture is; 0 where that fails. */
  look(from: number, length: number): number;
  /** Decodes what was looked at last; 0 where that fails. */
  decode(): number;
  forget(): void;
  width(): number;
  height(): number;
  components(): number;
  /** Whether its components were made of RGB, and have become that again. */
  transformed(): number;
  componentWidth(index: number): number;
  componentHeight(index: number): number;
  /** How many pixels one of its samples stands for. */
  componentAcross(index: number): number;
  componentDown(index: number): number;
  componentBits(index: number): number;
  componentSigned(index: number): number;
  /** Numbers of 32 bits. */
  componentAt(index: number): number;
}

/** JPEG 2000 (34712; 33003 and 33005 of Aperio; 33004 of libvips): one codestream or JP2 per tile. */
export const createJpeg2000Codec = async (): Promise<TileCodec> => {
  const module = await compileWasm("codecs", "jpeg2000");
  const codecs = new Renewed<Jpeg2000>(() => {
    const codec = newHeapCodec<Jpeg2000>(module);
    passOverTileLengths(new Uint8Array(codec.memory.buffer));
    return codec;
  });
  return (job) =>
    codecs.with((codec) =>
      withBytes(codec, job.bytes, (from) => {
        checkHead(job);
        if (codec.look(from, job.bytes.length) === 0)
          throw new Error("the head of a JPEG 2000 is damaged");
        check(job, {
          width: codec.width(),
          height: codec.height(),
          components: codec.components(),
        });
        if (codec.decode() === 0) throw new Error("a JPEG 2000 is damaged");
        const samples = samplesIn(job, codec);
        codec.forget();
        return { samples };
      }),
    );
};

const check = (
  job: SampleJob,
  picture: Readonly<Record<"width" | "height" | "components", number>>,
) => {
  checkSize(job, picture.width, picture.height);
  if (picture.components !== samplesPerPixel(job))
    throw new Error(`a JPEG 2000 has ${picture.components} components of ${samplesPerPixel(job)}`);
};

/** Refuses by the bytes alone what is not the tile: for a large picture, OpenJPEG lists all parts at once. */
const checkHead = (job: SampleJob): void => {
  const view = new DataView(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength);
  const at = codestreamAt(view);
  if (at + sizBytes > view.byteLength || view.getUint32(at) !== startThenSize)
    throw new Error("the head of a JPEG 2000 is damaged");
  const [right, bottom, left, top] = [8, 12, 16, 20].map((field) => view.getUint32(at + field));
  check(job, {
    width: (right ?? 0) - (left ?? 0),
    height: (bottom ?? 0) - (top ?? 0),
    components: view.getUint16(at + 40),
  });
};

/** SOC, then SIZ (ISO/IEC 15444-1, A.4.1 and A.5.1): the sides of the picture and how many components. */
const startThenSize = 0xff4fff51;
const sizBytes = 42;

/** Where the codestream starts: at once, or within a box of JP2 (ISO/IEC 15444-1, annex I). */
const codestreamAt = (view: DataView): number => {
  if (view.byteLength < 2 || view.getUint16(0) === startThenSize >>> 16) return 0;
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const length = view.getUint32(at);
    const isLong = length === 1;
    if (view.getUint32(at + 4) === codestreamBox) return at + (isLong ? 16 : 8);
    if (length < 8) break;
    at += length;
  }
  throw new Error("a JP2 has no codestream");
};

const codestreamBox = 0x6a703263;

interface Component {
  readonly data: Int32Array;
  readonly width: number;
  readonly height: number;
  readonly across: number;
  readonly down: number;
  /** What makes its numbers those of the TIFF. */
  readonly plus: number;
}

const samplesIn = (job: SampleJob, codec: Jpeg2000): Numbers => {
  const size = { width: codec.width(), height: codec.height() };
  const samples = samplesPerPixel(job);
  const components = Array.from({ length: samples }, (_, index) => component(job, codec, index));
  const all = new (kindOf(job))(area(size) * samples);
  for (const [index, part] of components.entries())
    for (let y = 0; y < size.height; y++) {
      const row = Math.min(Math.floor(y / part.down), part.height - 1) * part.width;
      for (let x = 0; x < size.width; x++) {
        const column =
          part.across === 1 ? x : Math.min(Math.floor(x / part.across), part.width - 1);
        all[(y * size.width + x) * samples + index] = (part.data[row + column] ?? 0) + part.plus;
      }
    }
  if (isYcc(job, components, codec.transformed() !== 0))
    toRgb(all, { samples, bits: job.layout.bits });
  return all;
};

const component = (job: SampleJob, codec: Jpeg2000, index: number): Component => {
  const [width, height] = [codec.componentWidth(index), codec.componentHeight(index)];
  const [across, down] = [codec.componentAcross(index), codec.componentDown(index)];
  const bits = codec.componentBits(index);
  const { layout } = job;
  const at = codec.componentAt(index) >>> 0;
  if (at === 0 || width * height === 0 || across === 0 || down === 0 || bits > layout.bits)
    throw new Error(`a JPEG 2000 has a component of ${width} x ${height} at ${bits} bits`);
  const signed = codec.componentSigned(index) !== 0;
  return {
    data: new Int32Array(codec.memory.buffer, at, width * height),
    width,
    height,
    across,
    down,
    plus: signed && layout.sampleFormat === "unsigned" ? 2 ** (bits - 1) : 0,
  };
};

const kindOf = ({ layout }: SampleJob) => {
  const { bits, sampleFormat } = layout;
  if (sampleFormat === "float" || bits > 31)
    throw new Error(`JPEG 2000 has no samples of ${sampleFormat} ${bits} bits`);
  if (sampleFormat === "signed")
    return bits <= 8 ? Int8Array : bits <= 16 ? Int16Array : Int32Array;
  return bits <= 8 ? Uint8Array : bits <= 16 ? Uint16Array : Uint32Array;
};

/**
 * Aperio's 33003 and others leave YCbCr as it is, which only the TIFF or the sampling gives away;
 * libvips makes YCbCr of three components first, and lets the codestream transform that once more.
 */
const isYcc = (
  { layout }: SampleJob,
  components: readonly Component[],
  transformed: boolean,
): boolean => {
  if (components.length < 3 || layout.sampleFormat !== "unsigned") return false;
  if (layout.compression === compressions.jpeg2000OfVips) return components.length === 3;
  if (transformed) return false;
  return (
    layout.compression === compressions.jpeg2000OfYcc ||
    layout.photometric === photometrics.yCbCr ||
    components.slice(1, 3).every(({ across, down }) => across > 1 || down > 1)
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
