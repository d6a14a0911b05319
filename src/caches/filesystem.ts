import { constants } from "node:fs";
import { access, mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defineKeys } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { removeAbandoned } from "./filesystem-abandoned.ts";
import { type Accounts, openAccounts } from "./filesystem-accounts.ts";
import {
  codeOf,
  isAbsent,
  isFull,
  markUsed,
  readWhole,
  removeFile,
  statFile,
  writeWhole,
} from "./filesystem-files.ts";
import { amountIn, removeBeginning } from "./filesystem-many.ts";
import {
  fileOf,
  filesOfImage,
  folderOf,
  foldersOf,
  imageTree,
  infoTree,
  type Levels,
  levelsOf,
  placeOf,
  type Tree,
} from "./filesystem-paths.ts";
import { largestEntry } from "./filesystem-shards.ts";
import { derivativePrefix, entryName, infoPrefix } from "./names.ts";
import { defineStore, type Store, type StoreContext } from "./store.ts";

const filesystemCacheKeys = defineKeys({
  "FilesystemCache.pathname": {
    type: "path",
    default: "/var/cache/cantaloupe",
    fileOnly: "path",
    doc: "The folder of the file system cache, with the subfolders `image`, `info` and `source`; created if missing. Several servers may share it. Files that no server wrote are never removed.",
    restart: true,
  },
  "FilesystemCache.dir.depth": {
    type: "integer",
    default: 3,
    min: 0,
    max: 32,
    doc: "Depth of nested folders. All levels together use at most three hexadecimal digits, for 4,096 innermost folders: more would be more folders than files. Entries written with other settings are no longer found, and are evicted once they are the least recently used.",
    restart: true,
  },
  "FilesystemCache.dir.name_length": {
    type: "integer",
    default: 2,
    min: 1,
    max: 32,
    doc: "Hexadecimal digits per folder name, up to three in all: with a depth of 3, 2 gives folders such as `ab/c`, 1 gives `a/b/c`.",
    restart: true,
  },
});

/** Entries as files of a folder, which many processes and servers may share. */
export const filesystemCache = defineStore({
  keys: filesystemCacheKeys,
  open: async (settings, context) => {
    const levels = levelsOf(
      settings["FilesystemCache.dir.depth"],
      settings["FilesystemCache.dir.name_length"],
    );
    return openFolder(await openRoot(settings["FilesystemCache.pathname"]), { levels, context });
  },
});

/**
 * The folder of a cache with links resolved, created if missing; throws `malformed` where that
 * fails.
 */
export const openRoot = async (pathname: string): Promise<string> => {
  const expected = "FilesystemCache.pathname: expected a folder that can be written to";
  if (pathname === "") return fail("malformed", `${expected}; it is blank.`);
  try {
    await mkdir(pathname, { recursive: true, mode: 0o700 });
    const root = await realpath(pathname);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    return fail(
      "malformed",
      `${expected}; ${pathname} is not one (${codeOf(error) || "unknown"}).`,
      error,
    );
  }
};

interface Opening {
  readonly levels: Levels;
  readonly context: StoreContext;
}

const openFolder = async (root: string, { levels, context }: Opening): Promise<Store> => {
  const { bounds, log, now = () => new Date() } = context;
  const maxShards = foldersOf(levels);
  const largest = largestEntry(bounds, maxShards);
  const folders = createFolders(root);
  const accounts = await openAccounts({
    root,
    trees: [imageTree, infoTree],
    ledgers: "ledger",
    maxShards,
    bounds,
    now,
    log,
  });
  const pathOf = (name: string): string => {
    // Any other name would be found by no purge, or lie outside the folder.
    if (!entryName.test(name)) fail("internal", `Expected the name of an entry, got '${name}'.`);
    return join(root, folderOf(name, levels), fileOf(name));
  };

  const notes = join(root, notesFile);

  return {
    notes: {
      read: async (signal) => (await readWhole(notes, signal))?.bytes,
      async write(bytes, signal) {
        await folders.within(root, () => writeWhole(notes, bytes, signal));
        await removeAbandoned(notes);
      },
    },

    async get(name, signal) {
      const path = pathOf(name);
      return (await folders.has(dirname(path))) ? readWhole(path, signal) : undefined;
    },

    async put(name, bytes, signal) {
      signal.throwIfAborted();
      if (bytes.byteLength > largest) return;
      const path = pathOf(name);
      await withRoom(
        accounts,
        { place: placeOf(name), bytes: bytes.byteLength, signal },
        async () => {
          await folders.within(dirname(path), () => writeWhole(path, bytes, signal));
          await accounts.stored(placeOf(name), bytes.byteLength, signal);
        },
      );
    },

    async touch(name) {
      const path = pathOf(name);
      if (await folders.has(dirname(path))) await markUsed(path, now());
    },

    async remove(prefix, signal) {
      signal.throwIfAborted();
      if (entryName.test(prefix)) {
        const path = pathOf(prefix);
        return (await folders.has(dirname(path))) && (await removeFile(path)) ? 1 : 0;
      }
      return removeBeginning(root, treesOf(prefix), { beginning: filesOfImage(prefix), signal });
    },

    sweep: (sweep, signal) => accounts.sweep(sweep, signal),

    async stats(signal, prefix = "") {
      signal.throwIfAborted();
      if (entryName.test(prefix)) {
        const path = pathOf(prefix);
        const file = (await folders.has(dirname(path))) ? await statFile(path) : undefined;
        return { entries: file ? 1 : 0, bytes: file?.size ?? 0 };
      }
      return amountIn(root, treesOf(prefix), { beginning: filesOfImage(prefix), signal });
    },

    close: () => accounts.close(),
  };
};

/** Notes between servers are stored beside the trees. */
const notesFile = "notes.vtr";

/** The trees that may contain entries whose names begin with `prefix`. */
const treesOf = (prefix: string): readonly Tree[] => [
  ...(prefix === "" || prefix.startsWith(derivativePrefix) ? [imageTree] : []),
  ...(prefix === "" || prefix.startsWith(infoPrefix) ? [infoTree] : []),
];

interface EvictionRequest {
  readonly place: number;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Tries once more where the disk was full and space could be freed. */
const withRoom = async (
  accounts: Accounts,
  { place, bytes, signal }: EvictionRequest,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isFull(error) || !(await accounts.makeRoom(place, bytes, signal))) throw error;
    await work();
  }
};

/** Subfolders of a cache, as far as they were checked. */
interface Folders {
  /** Whether a subfolder exists that is not linked to outside the cache. */
  has(path: string): Promise<boolean>;
  /**
   * Runs work in a folder that is created if missing; throws `internal` where a link leads out of
   * the cache.
   */
  within(path: string, work: () => Promise<void>): Promise<void>;
}

export const createFolders = (root: string): Folders => {
  // At most as many as there are folders: two trees of 4,096.
  const known = new Set<string>();

  const has = async (path: string): Promise<boolean> => {
    if (known.has(path)) return true;
    try {
      if ((await realpath(path)) !== path) return false;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
    known.add(path);
    return true;
  };

  const make = async (path: string): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (!(await has(path)))
      fail(
        "internal",
        `A link leads out of the folder of the cache: ${path} is not below ${root}.`,
      );
  };

  return {
    has,
    async within(path, work) {
      if (!known.has(path)) await make(path);
      try {
        await work();
      } catch (error) {
        if (!isAbsent(error)) throw error;
        // The cache was cleared by hand.
        known.delete(path);
        await make(path);
        await work();
      }
    },
  };
};
