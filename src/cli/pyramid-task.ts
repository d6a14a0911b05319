import type { Rect } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { readBlocks } from "../formats/embedded-metadata.ts";
import type { Carried, TileEncoding } from "../formats/write/pyramid/index.ts";
import type { Subject } from "./opened-page.ts";

/** How a pyramid is to be. */
export interface PyramidOptions extends TileEncoding {
  readonly levels: "pages" | "subifds";
}

/** What writing a pyramid goes by. */
export interface PyramidTask extends PyramidOptions {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
  /** Lays down a page that cannot be read in parts, given where it lies as stored. */
  readonly stage: (whole: Rect) => Promise<Subject>;
}

/** What writing a pyramid goes by, and what goes into it beside the pixels. */
export interface Writing {
  readonly task: PyramidTask;
  readonly metadata: Carried;
}

/** Whether any row of a page, upright, takes reading all of it. */
export const isReadWhole = ({ size, orientation, levels: [{ tile }] }: Page): boolean =>
  tile.width >= size.width && (orientation >= 5 || tile.height >= size.height);

/**
 * Answers never carry sRGB's own profile; a file had better say what it is. That within a JPEG XL
 * is the original's, whose colours the samples need not have any more.
 */
export const ownProfile = async (
  { reader, info, page }: Subject,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> =>
  page.colour.profile === "srgb" && info.format !== "jxl"
    ? (await readBlocks(reader, info, signal)).icc
    : undefined;
