import { area } from "../core/geometry.ts";
import { compileWasm } from "../core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "./heap-codec.ts";
import type { SampleJob } from "./sample-job.ts";
import { checkSize, type Numbers, samplesPerPixel, type TileCodec } from "./tile-codec.ts";
import { Renewed } from "./unpacker.ts";

interface JpegXl extends HeapCodec {
  /** Reads what a picture is; 0 where that fails. */
  look(from: number, length: number): number;
  /** Decodes its first frame into numbers of a type; 0 where that fails. */
  decode(from: number, length: number, type: number): number;
  forget(): void;
  width(): number;
  height(): number;
  /** 1 or 3. */
  colours(): number;
  /** Channels that are no colour, transparency included. */
  extras(): number;
  /** The colours, pixel by pixel. */
  coloursAt(): number;
  /** The other channels, one after the other. */
  extrasAt(): number;
}

/** JPEG XL (50002, and 52546 of DNG): one picture per tile. */
export const createJpegXlCodec = async (): Promise<TileCodec> => {
  const module = await compileWasm("codecs", "jpegxl");
  const codecs = new Renewed<JpegXl>(() => newHeapCodec(module));
  return (job) =>
    codecs.with((codec) =>
      withBytes(codec, job.bytes, (from) => {
        const { length } = job.bytes;
        if (codec.look(from, length) === 0) throw new Error("the head of a JPEG XL is damaged");
        check(job, codec);
        const { type, kind } = numbersOf(job);
        if (codec.decode(from, length, type) === 0) throw new Error("a JPEG XL is damaged");
        check(job, codec);
        const samples = samplesIn(codec, kind);
        codec.forget();
        return { samples };
      }),
    );
};

const check = (job: SampleJob, codec: JpegXl): void => {
  checkSize(job, codec.width(), codec.height());
  const channels = codec.colours() + codec.extras();
  if (channels !== samplesPerPixel(job))
    throw new Error(`a JPEG XL has ${channels} channels for ${samplesPerPixel(job)} samples`);
};

type Kind = typeof Uint8Array | typeof Uint16Array | typeof Float32Array;

/** The types of numbers that the decoder gives, by its own numbers for them. */
const numbersOf = ({ layout }: SampleJob): { readonly type: number; readonly kind: Kind } => {
  const { bits, sampleFormat } = layout;
  if (sampleFormat === "unsigned" && bits === 8) return { type: 2, kind: Uint8Array };
  if (sampleFormat === "unsigned" && bits === 16) return { type: 3, kind: Uint16Array };
  if (sampleFormat === "float" && (bits === 16 || bits === 32))
    return { type: 0, kind: Float32Array };
  throw new Error(`JPEG XL has no samples of ${sampleFormat} ${bits} bits`);
};

const samplesIn = (codec: JpegXl, kind: Kind): Numbers => {
  const pixels = area({ width: codec.width(), height: codec.height() });
  const [colours, extras] = [codec.colours(), codec.extras()];
  const { buffer } = codec.memory;
  const colour = new kind(buffer, codec.coloursAt() >>> 0, pixels * colours);
  if (extras === 0) return colour.slice();
  const extra = new kind(buffer, codec.extrasAt() >>> 0, pixels * extras);
  const samples = colours + extras;
  const all = new kind(pixels * samples);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let index = 0; index < colours; index++)
      all[pixel * samples + index] = colour[pixel * colours + index] ?? 0;
    for (let index = 0; index < extras; index++)
      all[pixel * samples + colours + index] = extra[index * pixels + pixel] ?? 0;
  }
  return all;
};
