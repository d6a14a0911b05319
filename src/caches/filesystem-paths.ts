import { join } from "node:path";
import { crc32 } from "node:zlib";

/** A folder of entries, and the form of their file names. */
export interface Tree {
  readonly folder: string;
  readonly file: RegExp;
}

export const imageTree: Tree = { folder: "image", file: /^[0-9a-f]{32}_[0-9a-f]{32}\.vtr$/ };
export const infoTree: Tree = { folder: "info", file: /^[0-9a-f]{32}\.vtr$/ };

/** Number of hexadecimal digits of the folder names at each level, outermost first. */
export type Levels = readonly number[];

/** More digits would make more folders than most caches have files. */
const maxDigits = 3;

/** Number of places in a tree, one for each of the finest folders. */
export const places = 16 ** maxDigits;

/** The levels for `depth` folders of `length` digits each, as far as there are digits. */
export const levelsOf = (depth: number, length: number): Levels => {
  const levels: number[] = [];
  let left = maxDigits;
  for (let n = 0; n < depth && length > 0 && left > 0; n++) {
    const digits = Math.min(length, left);
    levels.push(digits);
    left -= digits;
  }
  return levels;
};

/** The number of parts into which folders of these levels divide a tree. */
export const foldersOf = (levels: Levels): number =>
  16 ** levels.reduce((sum, digits) => sum + digits, 0);

/**
 * The place of an entry in its tree, from 0 to `places` - 1: a hash of its whole name, so that
 * those of one image spread.
 */
export const placeOf = (name: string): number => crc32(name) >>> (32 - 4 * maxDigits);

/** The folder of an entry, relative to the cache's. */
export const folderOf = (name: string, levels: Levels): string => {
  const digits = placeOf(name).toString(16).padStart(maxDigits, "0");
  let at = 0;
  const folders = levels.map((length) => {
    at += length;
    return digits.slice(at - length, at);
  });
  return join(name.slice(0, name.indexOf("/")), ...folders);
};

/** The file name of an entry. */
export const fileOf = (name: string): string =>
  `${name.slice(name.indexOf("/") + 1).replace("/", "_")}.vtr`;

/** The file name prefix of entries whose names begin with `image/<image>/`. */
export const filesOfImage = (prefix: string): string =>
  prefix.slice(prefix.indexOf("/") + 1).replace("/", "_");
