import type { Sharp } from "sharp";
import type { Plan } from "../core/plan.ts";
import { flag, number } from "./encode-values.ts";
import { type Finished, finishedPicture } from "./finished.ts";
import type { SampleEncoders } from "./sample-encoders/threads.ts";

/** A picture as JP2: a codestream, and the boxes that say what its numbers mean (ISO/IEC 15444-1, annex I). */
export const encodeJp2 = async (
  image: Sharp,
  { encoding, quality }: Plan,
  { encoders, signal }: { readonly encoders: SampleEncoders; readonly signal: AbortSignal },
): Promise<Uint8Array> => {
  const { profile, ...picture } = await finishedPicture(image);
  // Black and white stay what they are only without loss.
  const bits = quality === "bitonal" && picture.samples === 1 ? 1 : picture.bits;
  const lossless = bits === 1 || flag(encoding, "lossless");
  const step = lossless ? 0 : stepFor(number(encoding, "quality", 80));
  const codestream = await encoders.run({ kind: "jpeg2000", picture, bits, step }, signal);
  return Buffer.concat([...boxesAround({ ...picture, profile }, bits), codestream]);
};

/** The coarseness at quality 50, in steps of 1 of 255. */
const stepAtHalf = 12;
/** Finer than this, nothing is gained by loss. */
const finest = 0.25;

/** As JPEG's encoders scale their tables by quality. */
const stepFor = (quality: number): number =>
  Math.max(finest, stepAtHalf * (quality < 50 ? 50 / quality : 2 - quality / 50));

const boxesAround = (
  { width, height, samples, profile }: Omit<Finished, "data">,
  bits: number,
): readonly Uint8Array[] => {
  const colours = samples < 3 ? 1 : 3;
  const header = Buffer.alloc(14);
  header.writeUInt32BE(height, 0);
  header.writeUInt32BE(width, 4);
  header.writeUInt16BE(samples, 8);
  // Unsigned, of so many bits; wavelets; a colour space that is known.
  header.set([bits - 1, 7, 0, 0], 10);
  const inside = [box("ihdr", header), box("colr", colourOf(colours, profile))];
  if (samples > colours) inside.push(box("cdef", channelsOf(colours)));
  return [
    box("jP  ", Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
    box("ftyp", Buffer.from("jp2 \0\0\0\0jp2 ", "latin1")),
    box("jp2h", Buffer.concat(inside)),
    // Up to the end of the file (I.4): its length need not fit into 32 bits.
    Buffer.from("\0\0\0\0jp2c", "latin1"),
  ];
};

const box = (type: string, content: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
};

/** sRGB, or grey with its curve, by name; else a profile, as it is (I.5.3.3). */
const colourOf = (colours: 1 | 3, profile: Uint8Array | undefined): Uint8Array => {
  if (profile !== undefined) return Buffer.concat([Uint8Array.of(2, 0, 0), profile]);
  return Uint8Array.of(1, 0, 0, 0, 0, 0, colours === 3 ? 16 : 17);
};

/** Which channel is which colour, and that the last is the opacity of them all (I.5.3.6). */
const channelsOf = (colours: 1 | 3): Uint8Array => {
  const entries = Array.from({ length: colours }, (_, n) => [n, 0, n + 1]);
  const numbers = [colours + 1, ...[...entries, [colours, 1, 0]].flat()];
  const bytes = Buffer.alloc(numbers.length * 2);
  for (const [index, value] of numbers.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
};
