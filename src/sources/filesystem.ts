import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import { defineKeys, type Settings } from "../config/keys.ts";
import { systemCallKeys } from "../config/system-call-keys.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { loadSystemCalls } from "../core/system-calls.ts";
import { refuseFile } from "./file-failures.ts";
import { createFolderLister } from "./file-listing.ts";
import { createFileLookup, type FileLookup, isFolder, type LookupRules } from "./file-lookup.ts";
import { fileObject } from "./file-object.ts";
import { locateByScript } from "./file-script.ts";
import { defineSource } from "./kind.ts";
import { OpenFiles, versionOf } from "./open-files.ts";
import { isScripted, lookupStrategies } from "./script.ts";

const filesystemKeys = defineKeys({
  "FilesystemSource.lookup_strategy": {
    type: "choice",
    choices: lookupStrategies,
    default: "BasicLookupStrategy",
    fileOnly: "program",
    doc: "How an identifier becomes a path: `BasicLookupStrategy` puts it between prefix and suffix; `ScriptLookupStrategy` calls `filesystemsource_pathname` of the delegate.",
    restart: true,
  },
  "FilesystemSource.BasicLookupStrategy.path_prefix": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "Prepended to every identifier, literally: a folder needs its slash at the end. A folder named without it is used all the same, with a warning in the log, and identifiers may begin with one slash. Nothing outside the folder is ever served.",
  },
  "FilesystemSource.BasicLookupStrategy.path_suffix": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "Appended to every identifier.",
  },
  "FilesystemSource.ScriptLookupStrategy.allowed_paths": {
    type: "list",
    default: [],
    fileOnly: "path",
    doc: "Folders that a path from the delegate must lie in, symbolic links resolved; other paths get 404. The names of the folders have no commas and no spaces. Blank: the delegate may name any file that the server can read.",
  },
  "FilesystemSource.follow_symlinks": {
    type: "boolean",
    default: false,
    cantaloupe: true,
    fileOnly: "path",
    doc: "Whether symbolic links below the prefix may lead out of its folder.",
  },
  "FilesystemSource.open_files.max": {
    type: "integer",
    default: 256,
    min: 0,
    doc: "Maximum number of files that stay open for later requests; those in use come on top.",
  },
  "FilesystemSource.open_files.idle_seconds": {
    type: "seconds",
    default: 30,
    min: 0,
    max: 3600,
    doc: "Seconds after which an unused file is closed.",
  },
  "FilesystemSource.read_at_once": {
    type: "boolean",
    default: true,
    doc: "Whether small parts of files that are in the page cache are read without a thread. This applies only to file systems on this machine's own disks. Where the package koffi is installed (`processor.system_calls`), the system is asked what is in memory; otherwise parts that were read before are assumed to be, and after reads that had to wait for the disk, a file is read by threads until each part was read again.",
  },
});

type FilesystemSettings = Settings<typeof filesystemKeys>;

const allowedKey = "FilesystemSource.ScriptLookupStrategy.allowed_paths";

/** Images in a folder of this machine. */
export const filesystem = defineSource({
  keys: { ...filesystemKeys, ...systemCallKeys },
  unusable: async (settings) =>
    isScripted(settings["FilesystemSource.lookup_strategy"])
      ? wrongAllowed(settings[allowedKey])
      : unusablePrefix(settings["FilesystemSource.BasicLookupStrategy.path_prefix"]),
  create: (settings, log = silent) => {
    const lookup = createFileLookup(log);
    const { "FilesystemSource.BasicLookupStrategy.path_prefix": prefix } = settings();
    const scripted = isScripted(settings()["FilesystemSource.lookup_strategy"]);
    // Warnings about the prefix are logged at startup.
    if (prefix !== "" && !scripted) void lookup.root(prefix);
    const calls = settings()["processor.system_calls"] ? loadSystemCalls() : undefined;
    const files = new OpenFiles(
      () => ({
        max: settings()["FilesystemSource.open_files.max"],
        idleMs: settings()["FilesystemSource.open_files.idle_seconds"] * 1_000,
        sync: settings()["FilesystemSource.read_at_once"],
      }),
      calls,
    );
    const list = createFolderLister(lookup);
    return {
      async find(identifier, context) {
        const path = scripted
          ? await locateByScript(identifier, context, settings()[allowedKey])
          : await lookup.locate(identifier, rulesIn(settings()));
        const found = await stat(path, { bigint: true }).catch((cause) =>
          refuseFile(identifier, cause),
        );
        // A pipe or a device would hang its reader.
        if (!found.isFile()) fail("missing", `There is no image '${identifier}'.`);
        const file = { path, size: Number(found.size), version: versionOf(found) };
        return fileObject(file, Number(found.mtimeMs), files);
      },
      ...(scripted
        ? {}
        : {
            reach: () => reach(settings(), lookup),
            list: (folder, options) => list(folder, rulesIn(settings()), options),
          }),
      async close() {
        files.close();
      },
    };
  },
});

/** What is wrong with the folders in which a delegate may name files, in sentences. */
const wrongAllowed = (folders: readonly string[]): string | undefined => {
  const wrong = folders.find((folder) => !isAbsolute(folder));
  return wrong === undefined ? undefined : `${allowedKey}: '${wrong}' is not an absolute path.`;
};

/**
 * Why no file can begin with a prefix, in sentences; undefined where one can, and for an empty one.
 */
const unusablePrefix = async (prefix: string): Promise<string | undefined> => {
  if (prefix === "") return undefined;
  const key = "FilesystemSource.BasicLookupStrategy.path_prefix";
  const namesFolder = /[/\\]$/.test(prefix);
  const isAny = (): boolean => true;
  const isMeant = ({ name }: Dirent): boolean => name.startsWith(basename(prefix));
  try {
    // Without a trailing slash it may be a folder, or the beginning of file names.
    if (namesFolder || (await isFolder(prefix))) {
      await firstIn(prefix, isAny);
      return undefined;
    }
    if ((await firstIn(dirname(prefix), isMeant)) !== undefined) return undefined;
    return `${key}: there is no folder '${prefix}', and no file whose path begins so. Create the folder, or set the key to the folder of the images.`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      return `${key}: there is no folder '${prefix}'. Create it, or set the key to the folder of the images.`;
    return `${key}: the folder '${prefix}' cannot be read (${code ?? "for an unknown reason"}). Let the server's user read it.`;
  }
};

/** The first matching entry of a folder; undefined where there is none. */
const firstIn = async (
  folder: string,
  isWanted: (entry: Dirent) => boolean,
): Promise<Dirent | undefined> => {
  for await (const entry of await opendir(folder)) if (isWanted(entry)) return entry;
  return undefined;
};

/** Checks the prefix's folder. */
const reach = async (
  settings: FilesystemSettings,
  lookup: FileLookup,
): Promise<"there" | "empty"> => {
  const prefix = settings["FilesystemSource.BasicLookupStrategy.path_prefix"];
  try {
    const folder = await opendir(await lookup.root(prefix));
    try {
      return (await folder.read()) === null ? "empty" : "there";
    } finally {
      await folder.close();
    }
  } catch (cause) {
    return fail("upstream", "The folder of the images cannot be read.", cause);
  }
};

const rulesIn = (settings: FilesystemSettings): LookupRules => {
  const prefix = settings["FilesystemSource.BasicLookupStrategy.path_prefix"];
  if (prefix === "")
    fail(
      "internal",
      "FilesystemSource.BasicLookupStrategy.path_prefix is blank: set it to the folder of the images.",
    );
  return {
    prefix,
    suffix: settings["FilesystemSource.BasicLookupStrategy.path_suffix"],
    follow: settings["FilesystemSource.follow_symlinks"],
  };
};
