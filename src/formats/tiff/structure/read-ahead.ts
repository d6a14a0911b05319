import type { ByteRange } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import { blockSize, type TiffBytes } from "./bytes.ts";
import { type Directory, readNumbers } from "./directory.ts";
import { tags } from "./tags.ts";

/** The position of a directory in its chain. */
export interface DirectoryPosition {
  /** Position in the file. */
  readonly at: number;
  readonly before: readonly Directory[];
  /** Depth of SubIFDs fields that lead to it. */
  readonly depth: number;
}

/** Prefetches what is about to be read of a file. */
export interface ReadAhead {
  /** Called before a directory is read. */
  directory(bytes: TiffBytes, place: DirectoryPosition): Steps<void>;
  /** Called before the directories at these positions are read, in order. */
  children(bytes: TiffBytes, positions: readonly number[]): Steps<void>;
}

/** Bytes at the end of a file that are read together. */
const tail = 3 * blockSize;

/**
 * For files in the page cache: writers put the smallest levels at the end, each after its tiles, so
 * one read is enough.
 */
export const aheadNear: ReadAhead = {
  *directory(bytes, { at }) {
    const left = bytes.size - at;
    if (left <= tail) yield* bytes.view(at, Math.max(0, left));
  },
  *children() {},
};

/** Size of most directories with their values, except lists of tiles, in bytes. */
const usualDirectory = 4_096;
/**
 * Size of the first directory with its lists of tiles, in bytes: of up to 8,000 tiles, as for
 * 20,000 x 20,000 pixels.
 */
const firstDirectory = 65_536;
const farTail = 4 * blockSize;
const longestTail = 8 * blockSize;
/** From the third level on, a pyramid takes a tenth or less of the bytes, with some allowance. */
const twoLevelsOn = 8;
/** `TiffBytes` does not cache longer reads. */
const piece = 2 * blockSize;

/** For files whose reads cost a request each. */
export const aheadFar: ReadAhead = {
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
      // The third level of a pyramid, each directory after its tiles: the smallest ones are fetched
      // at the same time.
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
