import type { Rect, Size } from "../../core/geometry.ts";
import type { DrawnPart, DrawWhole } from "./page-rasters.ts";

/** A document as passed to a thread: a local file, or bytes that were read beforehand. */
export interface PdfFile {
  /** Equal for equal bytes, for the lifetime of the process. */
  readonly id: string;
  readonly path?: string;
  /** Where there is no path and the thread does not have them yet. */
  readonly bytes?: Uint8Array;
  /** Tried where the document requires one; empty for none. */
  readonly password: string;
}

/** A thread's job. */
export type PdfJob =
  | {
      readonly kind: "sizes";
      readonly file: PdfFile;
      /** Maximum number of pages. */
      readonly max: number;
    }
  | {
      readonly kind: "draw";
      readonly file: PdfFile;
      /** Counted from 0. */
      readonly page: number;
      /** The scaled size of the whole page in pixels. */
      readonly whole: Size;
      /** In pixels of that, inside it. */
      readonly region: Rect;
      /** Whether the whole page may be rendered instead. */
      readonly instead: DrawWhole;
    }
  | {
      readonly kind: "information";
      readonly file: PdfFile;
      /** Maximum bytes of texts; longer ones are omitted. */
      readonly max: number;
    }
  | {
      readonly kind: "packet";
      readonly file: PdfFile;
      readonly max: PacketLimits;
    };

/** Maximum bytes of a document whose XMP packet is searched, and of the packet. */
export interface PacketLimits {
  readonly document: number;
  readonly packet: number;
}

/** A text of a document's information. */
export interface PdfText {
  readonly name: string;
  /** Absent where it is too long. */
  readonly value?: string;
  readonly bytes: number;
}

/** The XMP packet, or why there is none. */
export type PdfPacket =
  | { readonly kind: "packet"; readonly bytes: Uint8Array }
  | { readonly kind: "none" | "large document" | "large" | "filtered" | "damaged" };

/** Why a document or a page cannot be read, by the names of `refusals.ts`. */
export type PdfTrouble =
  | "absent"
  | "changed"
  | "damaged"
  | "encrypted"
  | "large"
  | "locked"
  | "page";

/** A thread's answer; the thread ends where it cannot continue. */
export type PdfOutcome =
  | {
      /**
       * Alternating widths and heights in points of 1/72 inch, rotated and cropped for display; 0
       * where a page is corrupt.
       */
      readonly sizes: Float64Array;
    }
  | {
      /** Red, green and blue, row by row. */
      readonly drawn: DrawnPart;
    }
  | { readonly information: readonly PdfText[] }
  | { readonly packet: PdfPacket }
  | { readonly trouble: PdfTrouble };
