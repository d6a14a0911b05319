import { realpath, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { refuseFile } from "./file-failures.ts";

/** How an identifier becomes a path. */
export interface LookupRules {
  /** Put before every identifier; not blank. */
  readonly prefix: string;
  /** Put behind it. */
  readonly suffix: string;
  /** Whether symbolic links may lead out of the folder. */
  readonly follow: boolean;
}

/** The folder that nothing outside of is served, and what is put before identifiers. */
interface ServedFolder {
  readonly root: string;
  readonly before: string;
  /**
   * Set where the prefix names a folder without the slash at its end: identifiers may then begin
   * with one.
   */
  readonly slashless?: true;
}

/** Finds files of one folder by identifiers. */
export interface FileLookup {
  /**
   * The real path of an identifier's file. Throws `missing` for whatever is not inside the prefix's
   * folder, and for identifiers that are but another spelling of one: each would be cached for
   * itself.
   */
  locate(identifier: string, rules: LookupRules): Promise<string>;
  /** The prefix's folder. */
  root(prefix: string): Promise<string>;
}

/** Says once in the log where a prefix is taken for a folder though it has no slash at its end. */
export const createFileLookup = (log: Logger): FileLookup => {
  let known: { readonly prefix: string; readonly place: ServedFolder } | undefined;

  const placeOf = async (prefix: string): Promise<ServedFolder> => {
    if (/[/\\]$/.test(prefix)) return { root: resolve(prefix), before: prefix };
    if (known?.prefix === prefix) return known.place;
    // Until there is a folder, every look is a new one: it may be made at any time.
    if (!(await isFolder(prefix))) return { root: resolve(dirname(prefix)), before: prefix };
    const place: ServedFolder = { root: resolve(prefix), before: prefix + sep, slashless: true };
    if (known?.prefix !== prefix)
      log.warn(
        "FilesystemSource.BasicLookupStrategy.path_prefix has no slash at its end, but is a folder, and is taken as one: files beside it are not served, and identifiers may begin with one slash. Add the slash where they do not.",
        { prefix },
      );
    known = { prefix, place };
    return place;
  };

  return {
    root: async (prefix) => (await placeOf(prefix)).root,

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
      // Answered as if it were not there: what lies outside is nobody's business.
      return missing(identifier);
    },
  };
};

/** Whether there is a folder at a path. */
export const isFolder = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
};

const missing = (identifier: string): never =>
  fail("missing", `There is no image '${identifier}'.`);

/**
 * Refuses what would climb by either slash, cut the path short, or name the same file as a shorter
 * spelling does: slashes at either end or several in a row, and parts that are a single dot.
 */
const refuseOtherSpellings = (name: string, identifier: string): void => {
  const parts = name.split(sep === "\\" ? /[/\\]/ : "/");
  const climbs = name.includes("\0") || name.split(/[/\\]/).includes("..");
  if (climbs || parts.includes("") || parts.includes(".")) missing(identifier);
};

const isInside = (path: string, root: string): boolean =>
  path.startsWith(root.endsWith(sep) ? root : root + sep);
