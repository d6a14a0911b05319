import type { Snapshot } from "../config/store.ts";
import type { Converted } from "./conversion.ts";
import type { ConvertJob } from "./convert-file.ts";

/** What a process that converts is told. */
export type ToConverter =
  | {
      readonly kind: "convert";
      readonly job: ConvertJob;
      /** The configuration to go by. */
      readonly values: Snapshot;
    }
  | { readonly kind: "stop" };

/** What it tells. */
export type FromConverter =
  | { readonly kind: "ready" }
  /** How much of the job under way is done, 0 to 1, of so many pixels. */
  | { readonly kind: "progress"; readonly share: number; readonly pixels: number }
  | { readonly kind: "done"; readonly converted: Converted }
  /** For people. */
  | { readonly kind: "failed"; readonly message: string };
