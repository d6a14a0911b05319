import { opendir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { fail, ServerError } from "../core/errors.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Listing, ListingOptions } from "../core/source.ts";
import { failureOf } from "./file-failures.ts";
import { type FileLookup, isInside, type LookupRules } from "./file-lookup.ts";
import { inOrder, type NamedEntry, sortedInTurns } from "./name-order.ts";

/** Maximum number of names in one folder; those beyond are not listed. */
const maxInFolder = 1_000_000;

/**
 * Maximum number of names, in all folders together, that are cached between parts, plus one for each
 * folder. The largest folder fits; otherwise it would be read again for each of its parts.
 */
const maxRemembered = maxInFolder + 1;

/** Milliseconds for which the names of an unchanged folder are cached. */
const rememberedMs = 30_000;

/** Names of one folder, in order. */
interface FolderNames {
  readonly modifiedMs: number;
  readonly entries: readonly NamedEntry[];
}

/** Lists the folders that a lookup finds files in. */
export type FolderLister = (
  folder: string,
  rules: LookupRules,
  options: ListingOptions,
) => Promise<Listing | undefined>;

/**
 * Creates a lister. Symbolic links to files that are served are listed; links to folders are not,
 * since they may be circular.
 */
export const createFolderLister = (lookup: FileLookup): FolderLister => {
  const remembered = new LRUCache<string, FolderNames>({
    maxSize: maxRemembered,
    sizeCalculation: ({ entries }) => entries.length + 1,
    ttl: rememberedMs,
  });

  /** A folder is read once for all requests that come meanwhile. */
  const reads = new SingleFlight<readonly NamedEntry[]>();

  const namesOf = async (path: string, signal: AbortSignal): Promise<readonly NamedEntry[]> => {
    const { mtimeMs } = await stat(path);
    const known = remembered.get(path);
    if (known?.modifiedMs === mtimeMs) return known.entries;
    const entries = await reads.run(`${mtimeMs} ${path}`, signal, (shared) =>
      readNames(path, shared),
    );
    remembered.set(path, { modifiedMs: mtimeMs, entries });
    return entries;
  };

  const partOf = async (
    place: ListedPlace,
    last: NamedEntry | undefined,
    { max, signal }: ListingOptions,
  ): Promise<Listing> => {
    const entries = await namesOf(place.path, signal);
    const listed: Listing["entries"][number][] = [];
    let at = last === undefined ? 0 : startAfter(entries, last);
    for (; at < entries.length && listed.length < max; at++) {
      const entry = await listedEntry(entries[at] as NamedEntry, place);
      if (entry) listed.push(entry);
    }
    const end = entries[at - 1];
    const isMore = at < entries.length && end !== undefined;
    return { entries: listed, ...(isMore ? { next: cursorOf(end) } : {}) };
  };

  return async (folder, rules, options) => {
    const root = await lookup.folder(rules.prefix);
    if (root === undefined) return undefined;
    const last = options.after === undefined ? undefined : parseCursor(options.after);
    try {
      const path = folder === "" ? root : await lookup.locate(folder, { ...rules, suffix: "" });
      return await partOf({ folder, path, root, rules }, last, options);
    } catch (cause) {
      options.signal.throwIfAborted();
      return refuseFolder(folder, cause);
    }
  };
};

/** A folder to list. */
interface ListedPlace {
  readonly folder: string;
  /** In the file system. */
  readonly path: string;
  /** The folder that files are served from. */
  readonly root: string;
  readonly rules: LookupRules;
}

/** Throws the same failures as for a file, with messages for a folder. */
const refuseFolder = (folder: string, cause: unknown): never => {
  const failure = cause instanceof ServerError ? cause.failure : failureOf(cause);
  const what = folder === "" ? "the folder of the images" : `the folder '${folder}'`;
  if (failure === "missing") return fail("missing", `There is no folder '${folder}'.`, cause);
  if (failure === "denied")
    return fail(
      "denied",
      `The server has no permission to read ${what}. The system's administrator can grant it.`,
      cause,
    );
  return fail("upstream", `The server could not read ${what}.`, cause);
};

const readNames = async (path: string, signal: AbortSignal): Promise<readonly NamedEntry[]> => {
  const found: NamedEntry[] = [];
  for await (const entry of await opendir(path)) {
    signal.throwIfAborted();
    if (found.length === maxInFolder) break;
    const { name } = entry;
    if (name.startsWith(".")) continue;
    if (entry.isDirectory()) found.push({ kind: "folder", name });
    else if (entry.isFile()) found.push({ kind: "file", name });
    else if (entry.isSymbolicLink()) found.push({ kind: "link", name });
  }
  return sortedInTurns(found, signal);
};

/** The index of the first entry after a given one, which may have been removed in the meantime. */
const startAfter = (entries: readonly NamedEntry[], last: NamedEntry): number => {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inOrder(entries[middle] as NamedEntry, last) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

const cursorOf = ({ kind, name }: NamedEntry): string => `${kind === "folder" ? "/" : ""}${name}`;

const parseCursor = (after: string): NamedEntry => {
  const name = after.replace(/^\//, "");
  if (name === "" || name.includes("/"))
    fail(
      "malformed",
      `Expected "after" to be the "next" of a part of this listing; got '${after}'.`,
    );
  return { kind: after.startsWith("/") ? "folder" : "file", name };
};

/** A listed entry; undefined if it is not served. */
const listedEntry = async (
  entry: NamedEntry,
  place: ListedPlace,
): Promise<Listing["entries"][number] | undefined> => {
  const { kind, name } = entry;
  const path = place.folder === "" ? name : `${place.folder}/${name}`;
  if (kind === "folder") return { kind, name, path };
  const { suffix } = place.rules;
  if (suffix !== "" && (!name.endsWith(suffix) || name === suffix)) return undefined;
  if (kind === "link" && !(await leadsToFile(name, place))) return undefined;
  return {
    kind: "object",
    name: name.slice(0, name.length - suffix.length),
    identifier: path.slice(0, path.length - suffix.length),
  };
};

/** Whether a symbolic link points to a file that may be served. */
const leadsToFile = async (name: string, { path, root, rules }: ListedPlace): Promise<boolean> => {
  const target = await realpath(join(path, name)).catch(() => undefined);
  if (target === undefined) return false;
  if (!rules.follow && !isInside(target, await realpath(root))) return false;
  const found = await stat(target).catch(() => undefined);
  return found?.isFile() ?? false;
};
