import type { Snapshot } from "../config/store.ts";
import type { ByteRange } from "../core/range-reader.ts";
import type { ExaminingOptions } from "./examining.ts";
import type { Examined } from "./facts.ts";

/** Where the bytes of an object are: in a file, or to be requested from the parent. */
export type BytesPlace = { readonly path: string } | { readonly size: number };

/** Messages to an examining process. */
export type ToExaminer =
  | { readonly kind: "configure"; readonly values: Snapshot }
  | {
      readonly kind: "examine";
      readonly place: BytesPlace;
      readonly options: ExaminingOptions;
    }
  /** The results of a `read`, one per range. */
  | { readonly kind: "bytes"; readonly id: number; readonly parts: readonly Uint8Array[] }
  | { readonly kind: "copied"; readonly id: number; readonly path: string | undefined }
  | { readonly kind: "refused"; readonly id: number };

/** Messages from it. */
export type FromExaminer =
  | { readonly kind: "read"; readonly id: number; readonly ranges: readonly ByteRange[] }
  /** It needs a local copy of all bytes. */
  | { readonly kind: "copy"; readonly id: number }
  | { readonly kind: "examined"; readonly examined: Examined }
  /** An internal error, as a message for operators. */
  | { readonly kind: "failed"; readonly message: string };
