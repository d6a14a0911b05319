import type { AssembledField } from "../../tiff/structure/index.ts";

/** What is written into a finished image beside its pixels. */
export interface EmbeddedBlocks {
  /** RDF as XML, without a packet wrapper: `rdf:RDF`, or `x:xmpmeta` around it. */
  readonly xmp?: string;
  readonly exif?: ExifFields;
  /** Datasets of IIM 4.2, at most 65,000 bytes. */
  readonly iptc?: Uint8Array;
}

/** Fields of Exif by their directories, with values in little-endian order. */
export interface ExifFields {
  readonly image: readonly AssembledField[];
  readonly exif: readonly AssembledField[];
  readonly gps: readonly AssembledField[];
}

/**
 * Writes blocks into a finished image of one format, whose pixels stay as they are. Throws
 * `internal` where it is no such image.
 */
export type Embed = (picture: Uint8Array, blocks: EmbeddedBlocks) => Uint8Array;
