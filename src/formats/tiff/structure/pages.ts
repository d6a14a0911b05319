import { ServerError } from "../../../core/errors.ts";
import { area, round, type Size } from "../../../core/geometry.ts";
import { type Steps, yieldToEventLoop } from "../../../core/steps.ts";
import { type Directory, directoriesAtOnce, type TiffFile } from "./directory.ts";
import { readLayout, type TiffFileLayout } from "./layout.ts";
import { photometrics, tags } from "./tags.ts";

/** The bit of NewSubfileType (254) that marks a smaller version of another image. */
export const reduced = 1;
const mask = 4;
/** Maximum deviation of a level from half the one before, in pixels (cantaloupe.md 10.4). */
const tolerance = 2;

/** One stored resolution of a page. */
export interface StoredLevel extends TiffFileLayout {
  /** Full-size pixels per pixel, across and down. */
  readonly factor: Size;
  /** Index in the main chain of directories, from 0; undefined for those below a SubIFDs field. */
  readonly number: number | undefined;
}

/** The resolutions of one page, full size first, each smaller than the one before. */
export type StoredPage = readonly [StoredLevel, ...StoredLevel[]];

/**
 * Sorts the directories of a file into pages and their levels. Masks are neither; a directory after
 * the first without a readable image is skipped.
 */
export function* readPages(file: TiffFile): Steps<readonly [StoredPage, ...StoredPage[]]> {
  const [head, ...tail] = file.directories;
  if (head === undefined) throw new ServerError("internal", "Expected a TIFF with a directory.");
  const first = asLevel(yield* readLayout(file, head), 0);
  const chain = [first, ...(yield* levelsOf(file, tail, 1))];
  const pictures = chain.filter(({ subfile }, index) => index === 0 || (subfile & mask) === 0);
  const halving = isHalving(pictures);
  const pages: [StoredLevel, ...StoredLevel[]][] = [[first]];
  for (const picture of pictures.slice(1)) {
    const page = pages.at(-1);
    const marked = (picture.subfile & reduced) !== 0;
    if (page !== undefined && (marked || halving) && isReduction(picture, page))
      page.push(within(picture, page[0]));
    else pages.push([picture]);
  }
  const [page, ...others] = pages;
  const whole: [StoredPage, ...StoredPage[]] = [yield* withChildren(file, page ?? [first])];
  for (const other of others) whole.push(yield* withChildren(file, other));
  return whole;
}

const asLevel = (layout: TiffFileLayout, number: number | undefined): StoredLevel => ({
  ...layout,
  factor: { width: 1, height: 1 },
  number,
});

/** `from` is the index of the first directory in the main chain, where they belong to that. */
function* levelsOf(
  file: TiffFile,
  directories: readonly Directory[],
  from?: number,
): Steps<StoredLevel[]> {
  const levels: StoredLevel[] = [];
  for (const [index, directory] of directories.entries()) {
    if ((index + 1) % directoriesAtOnce === 0) yield* yieldToEventLoop();
    const number = from === undefined ? undefined : from + index;
    try {
      levels.push(asLevel(yield* readLayout(file, directory), number));
    } catch (error) {
      if (!(error instanceof ServerError) || error.failure !== "unreadable") throw error;
    }
  }
  return levels;
}

function* withChildren(file: TiffFile, page: [StoredLevel, ...StoredLevel[]]): Steps<StoredPage> {
  const [full] = page;
  if (page.length > 1 || full.directory.children.length === 0) return page;
  const children = yield* levelsOf(file, full.directory.children);
  children.sort((a, b) => area(b.size) - area(a.size));
  for (const child of children)
    if ((child.subfile & mask) === 0 && isReduction(child, page)) page.push(within(child, full));
  return page;
}

const within = (level: StoredLevel, full: StoredLevel): StoredLevel => ({
  ...level,
  directory: withProfileOf(full.directory, level.directory),
  factor: {
    width: factorOf(full.size.width, level.size.width),
    height: factorOf(full.size.height, level.size.height),
  },
});

/** Many writers store the profile with the full size only; it applies to all levels. */
const withProfileOf = (full: Directory, level: Directory): Directory => {
  const profile = full.entries.get(tags.iccProfile);
  if (profile === undefined || level.entries.has(tags.iccProfile)) return level;
  return { ...level, entries: new Map([...level.entries, [tags.iccProfile, profile]]) };
};

/** A power of two where rounding explains the difference, so that levels share one grid. */
const factorOf = (full: number, level: number): number => {
  const power = 2 ** round(Math.log2(full / level));
  return Math.abs(full / power - level) < 1 ? power : full / level;
};

/** Whether each image is half the one before, so that a chain without marks is a pyramid. */
const isHalving = (pictures: readonly StoredLevel[]): boolean =>
  pictures.length > 1 &&
  pictures.slice(1).every((picture, index) => {
    const before = pictures[index];
    return (
      before !== undefined &&
      Math.abs(before.size.width / 2 - picture.size.width) <= tolerance &&
      Math.abs(before.size.height / 2 - picture.size.height) <= tolerance
    );
  });

/**
 * Whether an image is the page again, smaller than its last level: same samples, same aspect ratio.
 */
const isReduction = (picture: StoredLevel, page: StoredPage): boolean => {
  const [full] = page;
  const last = page.at(-1) ?? full;
  const { width, height } = picture.size;
  const alike =
    picture.samples === full.samples &&
    picture.bits === full.bits &&
    picture.sampleFormat === full.sampleFormat &&
    colourFamily(picture) === colourFamily(full);
  const smaller =
    width <= last.size.width && height <= last.size.height && area(picture.size) < area(last.size);
  const factor = Math.max(full.size.width / width, full.size.height / height);
  return (
    alike &&
    smaller &&
    Math.abs(full.size.width / factor - width) <= tolerance &&
    Math.abs(full.size.height / factor - height) <= tolerance
  );
};

/** JPEG levels of one pyramid may be stored as RGB and as YCbCr. */
const colourFamily = ({ photometric }: StoredLevel): number =>
  photometric === photometrics.yCbCr ? photometrics.rgb : photometric;
