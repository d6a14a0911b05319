import type { AssembledField } from "../../tiff/structure/index.ts";

/** Metadata to write into a finished image. */
export interface EmbeddedBlocks {
  /** RDF as XML, without a packet wrapper: `rdf:RDF`, or `x:xmpmeta` around it. */
  readonly xmp?: string;
  readonly exif?: ExifFields;
  /** Datasets of IIM 4.2, at most 65,000 bytes. */
  readonly iptc?: Uint8Array;
}

/** Fields of Exif by directory, with little-endian values. */
export interface ExifFields {
  readonly image: readonly AssembledField[];
  readonly exif: readonly AssembledField[];
  readonly gps: readonly AssembledField[];
}

/**
 * Writes blocks into a finished image of one format, without changing its pixels. Throws `internal`
 * where it is not such an image.
 */
export type Embed = (picture: Uint8Array, blocks: EmbeddedBlocks) => Uint8Array;
