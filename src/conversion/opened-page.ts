import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder } from "../formats/shared/index.ts";

/** A page of an open file, and how parts of it are rendered. */
export interface OpenedPage {
  readonly reader: RangeReader;
  readonly info: ImageInfo;
  readonly page: Page;
  /** For the whole page, upright. */
  readonly plan: Plan;
  readonly decoder: Decoder;
}
