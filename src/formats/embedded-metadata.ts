import type { FormatName } from "../core/formats.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import {
  type Blocks,
  type Metadata,
  type MetadataHash,
  type MetadataReaders,
  type MetadataScan,
  readMetadata as readAll,
  readMetadataHash as readHash,
  readBlocks as readRaw,
} from "./metadata/index.ts";
import { formatNamed } from "./registry.ts";

/** An image whose format is known. */
type OfFormat = Pick<ImageInfo, "format">;

/**
 * Reads the metadata embedded in a file, by ranges and without decoding pixels. Damaged parts, and
 * those beyond the limits (2,048 reads, 64 MB in all, 4 MB per block, 16 MB per profile), are
 * skipped and listed in `problems`. Throws only what the reader throws, or the signal.
 */
export const readMetadata = async (
  reader: RangeReader,
  { format }: OfFormat,
  signal: AbortSignal,
  readers: MetadataReaders = {},
): Promise<Metadata> => readAll(reader, await scanFor(format), signal, readers);

/**
 * The blocks that `readMetadata` reads, within the same limits, as stored; no profile within a JPEG
 * XL, and nothing of a PDF.
 */
export const readBlocks = async (
  reader: RangeReader,
  { format }: OfFormat,
  signal: AbortSignal,
): Promise<Blocks> => readRaw(reader, await scanFor(format), signal);

/**
 * As `readMetadata`, in the shape that Cantaloupe gives its delegates; damaged parts are skipped.
 */
export const readMetadataHash = async (
  reader: RangeReader,
  { format }: OfFormat,
  signal: AbortSignal,
  readers: MetadataReaders = {},
): Promise<MetadataHash> =>
  readHash(reader, { format, find: await scanFor(format) }, signal, readers);

const scanFor = async (format: FormatName): Promise<MetadataScan | undefined> =>
  formatNamed(format)?.metadata?.();
