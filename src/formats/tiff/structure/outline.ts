import { ServerError } from "../../../core/errors.ts";
import { type Size, sameSize } from "../../../core/geometry.ts";
import type { Steps } from "../../../core/steps.ts";
import type { Directory, TiffFile } from "./directory.ts";
import { readPages, reduced, type StoredPage } from "./pages.ts";
import { tags } from "./tags.ts";
import { walkTiff } from "./walk.ts";

/** The beginning of a file: one page with two levels. */
export interface Outline {
  readonly file: TiffFile;
  readonly pages: readonly [StoredPage];
}

/**
 * The first page of a pyramid with its first two levels, from the first two directories of a file
 * whose reads cost a request each. Undefined where these leave it open: whatever follows must not
 * be part of this page other than as a level smaller than both. So the second one has to be marked
 * as a reduction of the first, and their tiles have to be of one size.
 */
export function* readOutline(size: number): Steps<Outline | undefined> {
  try {
    const { file, next } = yield* walkTiff(size, { isFar: true, max: 2 });
    // Cached data may as well be read.
    const isOver = next === 0 || file.bytes.holds(next);
    if (isOver || file.directories.some(hasChildren)) return undefined;
    const [page, ...others] = yield* readPages(file);
    return others.length === 0 && isSettled(page) ? { file, pages: [page] } : undefined;
  } catch (error) {
    // Reading all of it fails, too, and reports why.
    if (error instanceof ServerError && error.failure === "unreadable") return undefined;
    throw error;
  }
}

const hasChildren = ({ entries }: Directory): boolean => entries.has(tags.subIfds);

const isSettled = ([full, second]: StoredPage): boolean =>
  second !== undefined &&
  (second.subfile & reduced) !== 0 &&
  isInTiles(full) &&
  isInTiles(second) &&
  sameSize(full.tile, second.tile);

const isInTiles = ({ tiled, tile, size }: { readonly tiled: boolean; tile: Size; size: Size }) =>
  tiled && tile.width < size.width;
