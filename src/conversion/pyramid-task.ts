import type { Rect } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { readBlocks } from "../formats/embedded-metadata.ts";
import type { LevelQualities } from "../formats/write/index.ts";
import type { CarriedMetadata, FindReduced, TileEncoding } from "../formats/write/pyramid/index.ts";
import type { OpenedPage } from "./opened-page.ts";

/** The form of a pyramid. */
export interface PyramidOptions extends TileEncoding, LevelQualities {
  readonly levels: "pages" | "subifds";
  /**
   * How levels come about: each halves the one before, or is all of the page scaled as the server
   * scales it, so that tiles from it are those of the page itself. Absent: `halved`.
   */
  readonly reduction?: "halved" | "scaled";
  /**
   * Whether scaled levels are made from the previous level, which is faster than from the whole
   * page. Default: if tiles are lossy.
   */
  readonly cascades?: boolean | undefined;
  /** Of scaled levels: see `PyramidPlan.minSide`. */
  readonly minSide?: number | undefined;
}

/** The inputs of writing a pyramid. */
export interface PyramidTask extends PyramidOptions {
  readonly onProgress: (share: number) => void;
  /** Finds scaled levels that exist already; absent: none do. */
  readonly findReduced?: FindReduced | undefined;
  readonly signal: AbortSignal;
  /**
   * Writes a page that cannot be read in parts to a temporary file; calls back with its stored
   * position.
   */
  readonly stage: (whole: Rect) => Promise<OpenedPage>;
}

/** The inputs of writing a pyramid, and the metadata to include. */
export interface Writing {
  readonly task: PyramidTask;
  readonly metadata: CarriedMetadata;
}

/** Whether any row of an upright page requires reading all of it. */
export const isReadWhole = ({ size, orientation, levels: [{ tile }] }: Page): boolean =>
  tile.width >= size.width && (orientation >= 5 || tile.height >= size.height);

/**
 * Responses never contain sRGB's own profile; a file had better state it. The profile in a JPEG XL
 * is the original's, whose colours the samples need not have.
 */
export const ownProfile = async (
  { reader, info, page }: OpenedPage,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> =>
  page.colour.profile === "srgb" && info.format !== "jxl"
    ? (await readBlocks(reader, info, signal)).icc
    : undefined;
