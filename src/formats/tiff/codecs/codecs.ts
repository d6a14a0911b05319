import { compressions, decodedBytes } from "../structure/index.ts";
import type { TileCodec } from "./codec.ts";
import { unpackBits } from "./packbits.ts";
import type { SampleJob } from "./sample-job.ts";
import { unlog } from "./sgilog.ts";
import { createUnlog24 } from "./sgilog24.ts";
import { unthunder } from "./thunder.ts";
import type { TileDecoder } from "./tile-decode.ts";

/** The codecs of a thread, each loaded on first use. */
export const createTileCodecs = (
  decoder: TileDecoder,
): ((compression: number) => Promise<TileCodec>) => {
  const made = new Map<string, Promise<TileCodec>>();
  return (compression) => {
    const name = names.get(compression) ?? "lossless";
    const before = made.get(name);
    if (before !== undefined) return before;
    const codec = makers[name](decoder);
    codec.catch(() => made.delete(name));
    made.set(name, codec);
    return codec;
  };
};

/** Whether there is a codec for a compression. */
export const hasCodec = (compression: number): boolean =>
  names.has(compression) || lossless.has(compression);

/** Those that are also decoded for libvips. */
const lossless: ReadonlySet<number> = new Set([
  compressions.none,
  compressions.lzw,
  compressions.deflate,
  compressions.oldDeflate,
  compressions.zstd,
  compressions.lzma,
]);

type Name =
  | "lossless"
  | "packBits"
  | "thunderScan"
  | "sgiLog"
  | "sgiLog24"
  | "jpeg"
  | "lerc"
  | "jpegXl"
  | "jpeg2000";

const names: ReadonlyMap<number, Name> = new Map([
  [compressions.packBits, "packBits"],
  [compressions.thunderScan, "thunderScan"],
  [compressions.sgiLog, "sgiLog"],
  [compressions.sgiLog24, "sgiLog24"],
  [compressions.jpeg, "jpeg"],
  [compressions.lerc, "lerc"],
  [compressions.jpegXl, "jpegXl"],
  [compressions.jpegXlOfDng, "jpegXl"],
  [compressions.jpeg2000, "jpeg2000"],
  [compressions.jpeg2000OfRgb, "jpeg2000"],
  [compressions.jpeg2000OfVips, "jpeg2000"],
  [compressions.jpeg2000OfYcc, "jpeg2000"],
]);

const makers: Readonly<Record<Name, (decoder: TileDecoder) => Promise<TileCodec>>> = {
  lossless: async (decoder) => (job) => ({
    bytes: decoder.unpack(job.layout.compression, job.bytes, bytesIn(job)),
  }),
  packBits: async () => (job) => ({ bytes: unpackBits(job.bytes, bytesIn(job)) }),
  thunderScan: async () => (job) => ({ bytes: unthunder(job) }),
  sgiLog: async () => (job) => ({ bytes: unlog(job) }),
  sgiLog24: async () => {
    const unlog24 = createUnlog24();
    return (job) => ({ bytes: unlog24(job) });
  },
  jpeg: async () => (await import("./jpeg.ts")).jpegCodec,
  lerc: async (decoder) => (await import("./lerc.ts")).createLercCodec(decoder),
  jpegXl: async () => (await import("./jpegxl.ts")).createJpegXlCodec(),
  jpeg2000: async () => (await import("./jpeg2000.ts")).createJpeg2000Codec(),
};

const bytesIn = ({ layout, rows }: SampleJob): number => decodedBytes(layout, rows);
