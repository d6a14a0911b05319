import type { Keys } from "../../config/keys.ts";
import type { FormatFacts, FormatName } from "../../core/formats.ts";
import type { Losses } from "../../core/info.ts";
import type { MetadataScan } from "../metadata/index.ts";
import type { Resources } from "../pool/index.ts";
import type { Decoder, Encoder, Library } from "../shared/index.ts";
import type { FormatEncoder } from "../write/index.ts";

/** How the first bytes of a file reveal its format. */
export interface Signature {
  /** Whether a file that starts with these bytes (up to `signatureBytes`) is of the format. */
  readonly matches: (start: Buffer) => boolean;
  /**
   * Set where a file may also match the signature of another format, and this one is the right one.
   */
  readonly precedes?: boolean;
}

/**
 * Everything the server knows about an image format. A format is one such record in a folder of its
 * own and one line in `registry.ts`; all lists of formats are derived from there. Nothing heavy may
 * be imported by the file of a record: decoders are loaded on first use.
 */
export interface Format {
  /** The name within this program and in info records, as in `jpg`. */
  readonly name: FormatName;
  readonly facts: FormatFacts;
  readonly signature: Signature;
  /** The library or program that decodes it. */
  readonly reader: Library;
  /** Whether the reader may be missing on a machine: then reading fails with what to install. */
  readonly isOptional?: boolean;
  /** Configuration keys of the decoder. */
  readonly keys?: Keys;
  /** Loads and creates the decoder; called once per set of codecs. */
  readonly createDecoder: (resources: Resources) => Promise<Decoder>;
  /**
   * What the encoding loses, unless the info of a file says otherwise: whoever stores its pixels
   * again must not lose more. Absent: the format has no pixels of its own.
   */
  readonly losses?: Losses;
  /** Absent: the format is not written. */
  readonly encoder?: FormatEncoder;
  /** Loads what encodes pixels in memory directly; absent: only the encoder does. */
  readonly pixelEncoder?: (resources: Resources) => Promise<Encoder["encodePixels"]>;
  /** Loads what finds embedded metadata in a file; absent: none is read. */
  readonly metadata?: () => Promise<MetadataScan>;
}
