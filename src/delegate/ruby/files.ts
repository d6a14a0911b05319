import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { posix } from "node:path";
import { Fd, File, wasi } from "@bjorn3/browser_wasi_shim";
import { guestPath, hostPath } from "./guest-path.ts";

/** A folder that Ruby may read. */
export interface ReadableFolder {
  /** Absolute, as the system writes it. */
  readonly path: string;
  /** Whether it shows only files that end in .rb. */
  readonly rubyOnly: boolean;
}

/** Something that is opened by its path and is not a file on disk. */
export type Devices = ReadonlyMap<string, () => Fd>;

/**
 * The file system that Ruby sees besides its own library: folders to read, none to write. Links
 * that lead out of the folders are not followed.
 */
export class ReadOnlyRoot extends Fd {
  readonly #folders: readonly {
    readonly guest: string;
    readonly real: string;
    readonly rubyOnly: boolean;
  }[];
  readonly #devices: Devices;
  readonly #at: string;

  constructor(folders: readonly ReadableFolder[], devices: Devices, at = "/") {
    super();
    this.#folders = folders.map(({ path, rubyOnly }) => ({
      guest: guestPath(path),
      real: realOf(path) ?? path,
      rubyOnly,
    }));
    this.#devices = devices;
    this.#at = at;
  }

  override fd_prestat_get() {
    return { ret: 0, prestat: wasi.Prestat.dir("/") };
  }

  override fd_fdstat_get() {
    return { ret: 0, fdstat: new wasi.Fdstat(wasi.FILETYPE_DIRECTORY, 0) };
  }

  override fd_filestat_get() {
    return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_DIRECTORY, 0n) };
  }

  override path_filestat_get(_flags: number, path: string) {
    const found = this.#find(path);
    if (found === undefined) return { ret: wasi.ERRNO_NOENT, filestat: null };
    return { ret: 0, filestat: statOf(found) };
  }

  override path_open(
    _dirflags: number,
    path: string,
    oflags: number,
    rights: bigint,
  ): { ret: number; fd_obj: Fd | null } {
    const refused = (ret: number) => ({ ret, fd_obj: null });
    const device = this.#devices.get(this.#absolute(path));
    if (device !== undefined) return { ret: 0, fd_obj: device() };
    if ((oflags & (wasi.OFLAGS_CREAT | wasi.OFLAGS_TRUNC)) !== 0) return refused(wasi.ERRNO_ROFS);
    const found = this.#find(path);
    if (found === undefined) return refused(wasi.ERRNO_NOENT);
    if (found.kind === "folder")
      return { ret: 0, fd_obj: new ReadOnlyRoot(this.#given(), this.#devices, found.guest) };
    if ((oflags & wasi.OFLAGS_DIRECTORY) !== 0) return refused(wasi.ERRNO_NOTDIR);
    if ((rights & BigInt(wasi.RIGHTS_FD_WRITE)) !== 0n) return refused(wasi.ERRNO_ROFS);
    if (found.stats.size > maxBytes) return refused(wasi.ERRNO_FBIG);
    try {
      const file = new File(readFileSync(found.real), { readonly: true });
      return file.path_open(0, 0n, 0);
    } catch {
      return refused(wasi.ERRNO_ACCES);
    }
  }

  override path_readlink() {
    return { ret: wasi.ERRNO_INVAL, data: null };
  }

  override path_create_directory() {
    return wasi.ERRNO_ROFS;
  }

  override path_unlink_file() {
    return wasi.ERRNO_ROFS;
  }

  override path_remove_directory() {
    return wasi.ERRNO_ROFS;
  }

  override fd_readdir_single(cookie: bigint) {
    const name = this.#names()[Number(cookie)];
    if (name === undefined) return { ret: 0, dirent: null };
    const found = name === "." || name === ".." ? undefined : this.#find(name);
    const type = found?.kind === "file" ? wasi.FILETYPE_REGULAR_FILE : wasi.FILETYPE_DIRECTORY;
    return { ret: 0, dirent: new wasi.Dirent(cookie + 1n, 0n, name, type) };
  }

  #listed: readonly string[] | undefined;

  /** The content of this folder, while it is open. */
  #names(): readonly string[] {
    this.#listed ??= [".", "..", ...this.#children()];
    return this.#listed;
  }

  #children(): readonly string[] {
    const above = this.#at === "/" ? "/" : `${this.#at}/`;
    const names = this.#folders
      .filter(({ guest }) => guest.startsWith(above))
      .map(({ guest }) => guest.slice(above.length).split("/")[0] ?? "");
    const found = this.#find(".");
    if (found?.kind === "folder" && found.real !== undefined)
      names.push(...listing(found.real).filter((name) => this.#find(name) !== undefined));
    return [...new Set(names)].filter((name) => name !== "").sort();
  }

  #given(): readonly ReadableFolder[] {
    return this.#folders.map(({ guest, rubyOnly }) => ({ path: hostPath(guest), rubyOnly }));
  }

  #absolute(path: string): string {
    return posix.resolve(this.#at, path.startsWith("/") ? path.slice(1) : path);
  }

  #find(path: string): FileMatch | undefined {
    const guest = this.#absolute(path);
    const isAbove = this.#folders.some(
      (folder) => guest === "/" || folder.guest.startsWith(`${guest}/`),
    );
    const real = realOf(hostPath(guest));
    const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
    if (real !== undefined && stats !== undefined) {
      const inside = this.#folders.filter(
        (folder) => isWithin(guest, folder.guest) && isWithin(real, folder.real),
      );
      if (inside.length > 0 && stats.isDirectory()) return { kind: "folder", guest, real, stats };
      const isReadable = inside.some(({ rubyOnly }) => !rubyOnly || /\.rb$/i.test(real));
      if (isReadable && stats.isFile()) return { kind: "file", guest, real, stats };
    }
    return isAbove ? { kind: "folder", guest } : undefined;
  }
}

type FileMatch =
  | {
      readonly kind: "folder";
      readonly guest: string;
      /** Undefined for a folder that exists only as the parent of a readable one. */
      readonly real?: string;
      readonly stats?: Stats;
    }
  | { readonly kind: "file"; readonly guest: string; readonly real: string; readonly stats: Stats };

/** Files are read as a whole. */
const maxBytes = 64 * 1_048_576;

const isWithin = (path: string, folder: string): boolean =>
  path === folder ||
  path.startsWith(/[\\/]$/.test(folder) ? folder : `${folder}${separatorIn(folder)}`);

const separatorIn = (path: string): string => (path.includes("\\") ? "\\" : "/");

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

const listing = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const statOf = (found: FileMatch): wasi.Filestat => {
  const isFile = found.kind === "file";
  const stat = new wasi.Filestat(
    BigInt(found.stats?.ino ?? 0),
    isFile ? wasi.FILETYPE_REGULAR_FILE : wasi.FILETYPE_DIRECTORY,
    BigInt(isFile ? found.stats.size : 0),
  );
  stat.mtim = BigInt(Math.round((found.stats?.mtimeMs ?? 0) * 1e6));
  return stat;
};
