import type { Rect, Size } from "../../core/geometry.ts";
import type { DrawnPart, DrawWhole } from "./page-rasters.ts";

/** A document as a thread finds it: a local file, or bytes that were read beforehand. */
export interface PdfFile {
  /** The same for the same bytes, as long as the process lives. */
  readonly id: string;
  readonly path?: string;
  /** Where there is no path and the thread does not have them yet. */
  readonly bytes?: Uint8Array;
  /** Tried where the document does not open without; empty for none. */
  readonly password: string;
}

/** What is asked of a thread. */
export type PdfJob =
  | {
      readonly kind: "sizes";
      readonly file: PdfFile;
      /** Pages beyond so many are left out. */
      readonly max: number;
    }
  | {
      readonly kind: "draw";
      readonly file: PdfFile;
      /** Counted from 0. */
      readonly page: number;
      /** What the whole page is scaled to, in pixels. */
      readonly whole: Size;
      /** In pixels of that, inside it. */
      readonly region: Rect;
      /** Whether the whole page may be drawn instead. */
      readonly instead: DrawWhole;
    }
  | {
      readonly kind: "information";
      readonly file: PdfFile;
      /** Longer texts are left out, in bytes. */
      readonly max: number;
    }
  | {
      readonly kind: "packet";
      readonly file: PdfFile;
      readonly max: PacketLimits;
    };

/**
 * How large a document may be whose packet of XMP is looked for, and the packet itself, in bytes.
 */
export interface PacketLimits {
  readonly document: number;
  readonly packet: number;
}

/** A text that a document says of itself. */
export interface PdfText {
  readonly name: string;
  /** Absent where it is too long. */
  readonly value?: string;
  readonly bytes: number;
}

/** What there is of XMP: the packet, or why there is none. */
export type PdfPacket =
  | { readonly kind: "packet"; readonly bytes: Uint8Array }
  | { readonly kind: "none" | "large document" | "large" | "filtered" | "damaged" };

/** Why a document or a page cannot be had, in the words of `refusals.ts`. */
export type PdfTrouble =
  | "absent"
  | "changed"
  | "damaged"
  | "encrypted"
  | "large"
  | "locked"
  | "page";

/** What a thread answers; it ends where it cannot go on. */
export type PdfOutcome =
  | {
      /**
       * Widths and heights by turns, in points of 1/72 inch, turned and cropped as they are shown;
       * 0 where a page is damaged.
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
