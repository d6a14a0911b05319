import sharp, { type Sharp } from "sharp";
import { fail } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { boxOf } from "../containers/index.ts";
import { finishedPicture } from "../libvips/index.ts";
import { demandWriter, type FinishedImage, openjpeg } from "../shared/index.ts";
import { flag, number } from "./encode-values.ts";
import type { SampleEncoders } from "./samples/index.ts";

/**
 * An image as JP2: a codestream, and the boxes that describe its samples (ISO/IEC 15444-1, annex
 * I).
 */
export const encodeJp2 = async (
  image: Sharp,
  { encoding, quality }: Plan,
  { encoders, signal }: { readonly encoders: SampleEncoders; readonly signal: AbortSignal },
): Promise<Uint8Array> => {
  await demandWriter("JPEG 2000", openjpeg);
  const { profile, ...picture } = await finishedPicture(image);
  // Black and white survive only losslessly.
  const bits = quality === "bitonal" && picture.samples === 1 ? 1 : picture.bits;
  checkKind(picture);
  const lossless = bits === 1 || flag(encoding, "lossless");
  const ratio = lossless ? 0 : await ratioFor(picture, number(encoding, "quality", 80));
  const codestream = await encoders.run({ kind: "jpeg2000", picture, bits, ratio }, signal);
  return Buffer.concat([...boxesAround({ ...picture, profile }, bits), codestream]);
};

/** Sample formats that the package writes correctly. */
const checkKind = ({ samples, bits }: Omit<FinishedImage, "profile">): void => {
  const isWritten = bits === 8 ? samples !== 2 : samples === 1;
  if (isWritten) return;
  const found = `${samples < 3 ? "grey" : "colours"}${samples % 2 === 0 ? " with transparency" : ""}`;
  fail(
    "unimplemented",
    `Expected an image that can be written as JPEG 2000: grey of 8 or 16 bits, or colours of 8 bits; this one is ${found} of ${bits} bits.`,
  );
};

/**
 * The compression ratio at which a JPEG 2000 is as large as a JPEG of the same quality, but closer
 * to the image.
 */
const ratioFor = async (
  { width, height, samples, bits, data }: Omit<FinishedImage, "profile">,
  quality: number,
): Promise<number> => {
  const numbers =
    bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  const colours = samples < 3 ? 1 : 3;
  const jpeg = await sharp(numbers, {
    raw: { width, height, channels: samples },
    limitInputPixels: false,
  })
    .removeAlpha()
    .toColourspace(colours === 1 ? "b-w" : "srgb")
    .jpeg({ quality })
    .toBuffer();
  return Math.max(1, (width * height * colours * (bits / 8)) / jpeg.length);
};

const boxesAround = (
  { width, height, samples, profile }: Omit<FinishedImage, "data">,
  bits: number,
): readonly Uint8Array[] => {
  const colours = samples < 3 ? 1 : 3;
  const header = Buffer.alloc(14);
  header.writeUInt32BE(height, 0);
  header.writeUInt32BE(width, 4);
  header.writeUInt16BE(samples, 8);
  // Unsigned, of so many bits; wavelets; a known colour space.
  header.set([bits - 1, 7, 0, 0], 10);
  const inside = [boxOf("ihdr", [header]), boxOf("colr", [colourOf(colours, profile)])];
  if (samples > colours) inside.push(boxOf("cdef", [channelsOf(colours)]));
  return [
    boxOf("jP  ", [Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)]),
    boxOf("ftyp", [Buffer.from("jp2 \0\0\0\0jp2 ", "latin1")]),
    boxOf("jp2h", inside),
    // Up to the end of the file (I.4): its length need not fit into 32 bits.
    Buffer.from("\0\0\0\0jp2c", "latin1"),
  ];
};

/** sRGB, or grey with its curve, by enumeration; else a profile (I.5.3.3). */
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
