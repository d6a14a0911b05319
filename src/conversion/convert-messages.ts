import type { Snapshot } from "../config/store.ts";
import type { Size } from "../core/geometry.ts";
import type { ReducedPage } from "../formats/write/pyramid/index.ts";
import type { Converted } from "./conversion.ts";
import type { ConvertJob } from "./convert-file.ts";

/** Messages to a converting process. */
export type ToConverter =
  | {
      readonly kind: "convert";
      readonly job: ConvertJob;
      /** The configuration to use. */
      readonly values: Snapshot;
    }
  /** Answers the question of this number. */
  | { readonly kind: "reduced"; readonly question: number; readonly found: ReducedPage | undefined }
  | { readonly kind: "stop" };

/** Messages from it. */
export type FromConverter =
  | { readonly kind: "ready" }
  /** Progress of the current job, 0 to 1, and its number of pixels. */
  | { readonly kind: "progress"; readonly share: number; readonly pixels: number }
  /** Asks for the page reduced to a size: see `Conversion.findReduced`. */
  | { readonly kind: "find-reduced"; readonly question: number; readonly size: Size }
  | { readonly kind: "done"; readonly converted: Converted }
  /** For people. */
  | { readonly kind: "failed"; readonly message: string };
