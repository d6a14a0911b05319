import { realpath, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { refuseFile } from "./file-failures.ts";

/** Settings that map an identifier to a path. */
export interface LookupRules {
  /** Prepended to every identifier; not empty. */
  readonly prefix: string;
  /** Appended to every identifier. */
  readonly suffix: string;
  /** Whether symbolic links may lead out of the folder. */
  readonly follow: boolean;
}

/** The folder outside of which nothing is served, and the text before identifiers. */
interface ServedFolder {
  readonly root: string;
  readonly before: string;
  /**
   * Set where the prefix names a folder without a trailing slash: identifiers may then begin with
   * one.
   */
  readonly slashless?: true;
}

/** Finds files of one folder by identifier. */
export interface FileLookup {
  /**
   * The real path of an identifier's file. Throws `missing` for anything outside the prefix's
   * folder, and for identifiers that merely spell another one differently, since each would be
   * cached separately.
   */
  locate(identifier: string, rules: LookupRules): Promise<string>;
  /** The prefix's folder. */
  root(prefix: string): Promise<string>;
  /**
   * The folder of a prefix; undefined if the prefix includes the start of file names, so that names
   * in the folder are not identifiers.
   */
  folder(prefix: string): Promise<string | undefined>;
}

/** Logs once that a prefix without a trailing slash is used as a folder. */
export const createFileLookup = (log: Logger): FileLookup => {
  let known: { readonly prefix: string; readonly place: ServedFolder } | undefined;

  const placeOf = async (prefix: string): Promise<ServedFolder> => {
    if (/[/\\]$/.test(prefix)) return { root: resolve(prefix), before: prefix };
    if (known?.prefix === prefix) return known.place;
    // Until the folder exists, every lookup checks again: it may be created at any time.
    if (!(await isFolder(prefix))) return { root: resolve(dirname(prefix)), before: prefix };
    const place: ServedFolder = { root: resolve(prefix), before: prefix + sep, slashless: true };
    if (known?.prefix !== prefix)
      log.warn(
        "FilesystemSource.BasicLookupStrategy.path_prefix has no slash at its end, but is a folder, and is used as one: files beside it are not served, and identifiers may begin with one slash. Add the slash where they do not.",
        { prefix },
      );
    known = { prefix, place };
    return place;
  };

  return {
    root: async (prefix) => (await placeOf(prefix)).root,

    async folder(prefix) {
      const { root, before } = await placeOf(prefix);
      return /[/\\]$/.test(before) ? root : undefined;
    },

    async locate(identifier, { prefix, suffix, follow }) {
      const { root, before, slashless } = await placeOf(prefix);
      const name = slashless && identifier.startsWith("/") ? identifier.slice(1) : identifier;
      refuseOtherSpellings(name, identifier);
      const path = resolve(`${before}${name}${suffix}`);
      if (!isInside(path, root)) return missing(identifier);
      try {
        const real = await realpath(path);
        if (follow || isInside(real, await realpath(root))) return real;
      } catch (cause) {
        return refuseFile(identifier, cause);
      }
      // Reported as missing: files outside the folder are not revealed.
      return missing(identifier);
    },
  };
};

/** Whether a path is a folder. */
export const isFolder = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
};

const missing = (identifier: string): never =>
  fail("missing", `There is no image '${identifier}'.`);

/**
 * Rejects parts that climb by either slash, truncate the path, or name the same file as a shorter
 * identifier does: slashes at either end or several in a row, and single dots.
 */
const refuseOtherSpellings = (name: string, identifier: string): void => {
  const parts = name.split(sep === "\\" ? /[/\\]/ : "/");
  const climbs = name.includes("\0") || name.split(/[/\\]/).includes("..");
  if (climbs || parts.includes("") || parts.includes(".")) missing(identifier);
};

/** Whether a path is below a folder; both are resolved. */
export const isInside = (path: string, root: string): boolean =>
  path.startsWith(root.endsWith(sep) ? root : root + sep);
