import { compileWasm } from "../../core/wasm.ts";
import { type HeapCodec, newHeapCodec, room } from "../heap-codec.ts";
import { Renewed } from "../unpacker.ts";
import type { Jpeg2000Job } from "./job.ts";

interface Jpeg2000Encoder extends HeapCodec {
  /** Begins a picture; 0 where that fails. */
  begin(
    width: number,
    height: number,
    components: number,
    colours: number,
    bits: number,
    side: number,
    resolutions: number,
    step: number,
  ): number;
  /** Encodes a tile whose components stand one after the other; 0 where that fails. */
  tile(index: number, at: number, bytes: number): number;
  finish(): number;
  outputAt(): number;
  outputLength(): number;
  forget(): void;
}

/** Pictures no larger than this are one tile; larger ones are cut, so that memory has a bound. */
const tileSide = 2_048;

/** Resolutions beside full size, and pixels that the smallest has at least each way. */
const mostReductions = 5;
const leastSide = 32;

/** Makes codestreams of JPEG 2000 (ISO/IEC 15444-1); throws where there is no memory for one. */
export const createJpeg2000Encoder = async (): Promise<(job: Jpeg2000Job) => Uint8Array> => {
  const module = await compileWasm("codecs", "jpeg2000-encoder");
  const encoders = new Renewed<Jpeg2000Encoder>(() => newHeapCodec(module));
  return (job) =>
    encoders.with((encoder) => {
      const { width, height, samples } = job.picture;
      const colours = samples < 3 ? 1 : 3;
      const step = job.bits === 16 ? job.step * 257 : job.step;
      const resolutions = resolutionsFor(width, height);
      check(encoder.begin(width, height, samples, colours, job.bits, tileSide, resolutions, step));
      const across = Math.ceil(width / tileSide);
      const bytes = Math.min(tileSide, width) * Math.min(tileSide, height) * samples;
      const at = room(encoder, bytes * (job.bits === 16 ? 2 : 1));
      for (let index = 0; index < across * Math.ceil(height / tileSide); index++) {
        const x = (index % across) * tileSide;
        const y = Math.floor(index / across) * tileSide;
        const length = writeTile(job, encoder, { at, x, y });
        check(encoder.tile(index, at, length));
      }
      check(encoder.finish());
      const from = encoder.outputAt() >>> 0;
      const written = new Uint8Array(encoder.memory.buffer, from, encoder.outputLength()).slice();
      encoder.release(at);
      encoder.forget();
      return written;
    });
};

const check = (success: number): void => {
  if (success === 0) throw new Error("JPEG 2000 had no memory to encode in");
};

const resolutionsFor = (width: number, height: number): number => {
  const halvings = Math.floor(Math.log2(Math.min(width, height) / leastSide));
  return 1 + Math.min(mostReductions, Math.max(0, halvings));
};

/** Puts the samples of a tile into the encoder's memory, component by component; answers how many bytes. */
const writeTile = (
  { picture, bits }: Jpeg2000Job,
  { memory }: Jpeg2000Encoder,
  { at, x, y }: { readonly at: number; readonly x: number; readonly y: number },
): number => {
  const { width, height, samples, data } = picture;
  const columns = Math.min(tileSide, width - x);
  const rows = Math.min(tileSide, height - y);
  const pixels = columns * rows;
  const deep = picture.bits === 16;
  const from = deep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  const to = deep
    ? new Uint16Array(memory.buffer, at, pixels * samples)
    : new Uint8Array(memory.buffer, at, pixels * samples);
  const shift = bits === 1 ? 7 : 0;
  for (let n = 0; n < samples; n++)
    for (let row = 0; row < rows; row++) {
      let source = ((y + row) * width + x) * samples + n;
      const end = n * pixels + (row + 1) * columns;
      for (let target = end - columns; target < end; target++, source += samples)
        to[target] = (from[source] as number) >> shift;
    }
  return to.byteLength;
};
