import type { ByteRange } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import { blockSize, type TiffBytes } from "./bytes.ts";
import { type Directory, readNumbers } from "./directory.ts";
import { tags } from "./tags.ts";

/** Where a directory is, and those of its chain before it. */
export interface DirectoryPosition {
  /** Position in the file. */
  readonly at: number;
  readonly before: readonly Directory[];
  /** How many SubIFDs fields lead to it. */
  readonly depth: number;
}

/** Reads what is about to be needed of a file, so that it is in memory then. */
export interface Ahead {
  /** Before a directory is read. */
  directory(bytes: TiffBytes, place: DirectoryPosition): Steps<void>;
  /** Before the directories at these positions are read, one after the other. */
  children(bytes: TiffBytes, positions: readonly number[]): Steps<void>;
}

/** So much of the end of a file, in bytes, is read together. */
const tail = 3 * blockSize;

/**
 * For files that are in memory: writers put the smallest levels at the end, each behind its tiles,
 * so one read is enough.
 */
export const aheadNear: Ahead = {
  *directory(bytes, { at }) {
    const left = bytes.size - at;
    if (left <= tail) yield* bytes.view(at, Math.max(0, left));
  },
  *children() {},
};

/** Most directories with what they lead to, except lists of tiles, in bytes. */
const usualDirectory = 4_096;
/**
 * The first directory with its lists of tiles, in bytes: of up to 8,000 tiles, as 20,000 x 20,000
 * pixels have.
 */
const firstDirectory = 65_536;
const farTail = 4 * blockSize;
const longestTail = 8 * blockSize;
/** Two levels on, a pyramid takes a tenth or less of the bytes; some allowance included. */
const twoLevelsOn = 8;
/** Longer reads are not kept by `TiffBytes`. */
const piece = 2 * blockSize;

/** For files whose reads cost a request each. */
export const aheadFar: Ahead = {
  *directory(bytes, { at, before, depth }) {
    const left = Math.max(0, bytes.size - at);
    const isMain = depth === 0;
    const [, second] = before;
    if (isMain && before.length < 2) {
      const wanted =
        left <= firstDirectory || before.length === 0 ? firstDirectory : usualDirectory;
      yield* bytes.view(at, Math.min(left, wanted));
    } else if (left <= farTail) {
      yield* bytes.view(at, left);
    } else if (
      isMain &&
      before.length === 2 &&
      second &&
      left < (bytes.size - second.at) / 2 &&
      (yield* isReduced(bytes, second))
    ) {
      // The third level of a pyramid, each behind its tiles: the smallest ones are fetched at the
      // same time.
      const end = Math.min(longestTail, Math.max(farTail, left / twoLevelsOn));
      yield* bytes.views([headOf(bytes, at), ...piecesFrom(bytes, Math.ceil(bytes.size - end))]);
    }
  },
  *children(bytes, positions) {
    const inside = positions.filter((at) => at > 0 && at < bytes.size);
    const last = inside.filter((at) => bytes.size - at <= farTail);
    const end = last.length === 0 ? [] : piecesFrom(bytes, Math.min(...last));
    yield* bytes.views([...inside.map((at) => headOf(bytes, at)), ...end]);
  },
};

const headOf = ({ size }: TiffBytes, at: number): ByteRange => ({
  offset: at,
  length: Math.min(usualDirectory, size - at),
});

const piecesFrom = ({ size }: TiffBytes, from: number): ByteRange[] =>
  Array.from({ length: Math.ceil((size - from) / piece) }, (_, index) => {
    const offset = from + index * piece;
    return { offset, length: Math.min(piece, size - offset) };
  });

function* isReduced(bytes: TiffBytes, { entries }: Directory): Steps<boolean> {
  const entry = entries.get(tags.newSubfileType);
  if (entry === undefined) return false;
  const [subfile = 0] = yield* readNumbers({ bytes }, entry, { to: 1 });
  return (subfile & 1) !== 0;
}
