import { codestreamOf, readHeader, startEngine } from "../../heif-jxl/jpegxl/index.ts";
import { checkSize, samplesPerPixel, type TileCodec } from "./codec.ts";
import type { SampleJob } from "./sample-job.ts";

/** Memory limit of libjxl for a tile in bytes. */
const maxMemory = 536_870_912;

/** JPEG XL (50002, and 52546 of DNG): one image per tile. */
export const createJpegXlCodec = async (): Promise<TileCodec> => {
  const engine = await startEngine(maxMemory);
  return (job) => {
    const codestream = codestreamOf(job.bytes);
    const header = codestream && readHeader(codestream);
    if (codestream === undefined || header === undefined)
      throw new Error("the head of a JPEG XL is damaged");
    checkSize(job, header.size.width, header.size.height);
    const { extras } = header;
    const other = extras.find(({ isAlpha }) => !isAlpha) ?? extras[1];
    if (other !== undefined)
      throw new Error(`a JPEG XL has channels that are not read: ${other.kind}`);
    checkDepth(job, header);
    const expected = samplesPerPixel(job);
    const { channels } = engine.outline(codestream);
    if (channels !== expected)
      throw new Error(`a JPEG XL has ${channels} channels for ${expected} samples`);
    const { size, values } = engine.decode(codestream, 0);
    checkSize(job, size.width, size.height);
    return { samples: values };
  };
};

/** Throws for an image whose sample format differs from that of its TIFF. */
const checkDepth = (
  { layout: { bits, sampleFormat } }: SampleJob,
  header: { readonly bits: number; readonly float: boolean },
): void => {
  const isFloat = sampleFormat === "float" && (bits === 16 || bits === 32);
  const isWhole = sampleFormat === "unsigned" && (bits === 8 || bits === 16);
  if (!isFloat && !isWhole)
    throw new Error(`JPEG XL has no samples of ${sampleFormat} ${bits} bits`);
  if (header.float !== isFloat || (isWhole && header.bits > 8 !== bits > 8))
    throw new Error(
      `a JPEG XL has ${header.float ? "floating point" : "whole"} samples of ${header.bits} bits for ${sampleFormat} ${bits}`,
    );
};
