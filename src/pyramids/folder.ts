import { createHash } from "node:crypto";
import {
  lstat,
  mkdir,
  opendir,
  readFile,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { Amount } from "../caches/cache.ts";
import { imageHash } from "../core/plan.ts";
import type { FoundFile } from "../sources/file-reader.ts";
import { versionOf } from "../sources/open-files.ts";

/** One page of one version of an image. */
export interface PageState {
  readonly identifier: string;
  readonly version: string;
  /** Counted from 0. */
  readonly page: number;
}

/** A pyramid's file. */
export interface PyramidFile extends FoundFile {
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Limits of a sweep. */
export interface SweepLimits {
  /** Of all pyramids together. */
  readonly maxBytes: number;
  /** Unused pyramids are removed after so many milliseconds; 0: never. */
  readonly ttlMs: number;
  readonly signal: AbortSignal;
}

/** The pyramids in a folder. */
export interface FolderState extends Amount {
  /** Number of images that got none, since making it failed. */
  readonly failed: number;
}

/** Milliseconds after which making a pyramid that failed may be tried again. */
export const retryMs = 86_400_000;

/** Temporary files that have not been written to for so many milliseconds are abandoned. */
const abandonedMs = 7_200_000;

/** The name of a page's pyramid: `<hash of the identifier>-<hash of the rest>`. */
export const pyramidName = ({ identifier, version, page }: PageState): string =>
  `${imageHash(identifier)}-${createHash("sha256").update(`${page}\0${version}`).digest("hex").slice(0, 32)}`;

/**
 * A folder of pyramids, one file each, which several processes and servers may share. A file is
 * complete or absent.
 */
export class PyramidFolder {
  readonly #root: string;

  /** The folder is created once the first pyramid is made. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The path of a pyramid. */
  path(name: string): string {
    return join(this.#root, name.slice(0, 2), `${name}.tif`);
  }

  /** The path of the lock on making a pyramid. */
  lockPath(name: string): string {
    return join(this.#root, name.slice(0, 2), `${name}.lock`);
  }

  /** The path of one of the locks that limit concurrent jobs of a host. */
  slotPath(host: string, slot: number): string {
    return join(this.#root, `slot-${imageHash(host).slice(0, 12)}-${slot}.lock`);
  }

  /** Prepares writing a pyramid. */
  async prepare(name: string): Promise<void> {
    await mkdir(join(this.#root, name.slice(0, 2)), { recursive: true, mode: 0o700 });
  }

  /** The pyramid of a name; undefined where there is none. */
  async find(name: string): Promise<PyramidFile | undefined> {
    const path = this.path(name);
    const found = await stat(path, { bigint: true }).catch(absent);
    if (found === undefined) return undefined;
    const modified = Number(found.mtimeMs);
    return { path, size: Number(found.size), version: versionOf(found), modified };
  }

  /**
   * Rounds the modification time of a new pyramid to seconds, which `use` can then set again
   * exactly: it is part of the file's version.
   */
  async finish(name: string): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    await utimes(this.path(name), now, now);
  }

  /** Records the use of a pyramid in its access time. */
  async use({ path, modified }: PyramidFile): Promise<void> {
    await utimes(path, Date.now() / 1_000, modified / 1_000).catch(absent);
  }

  /** Why making a pyramid failed within the last day; undefined where it did not. */
  async failure(name: string): Promise<string | undefined> {
    const path = this.#failurePath(name);
    const found = await stat(path).catch(absent);
    if (found === undefined || Date.now() - found.mtimeMs > retryMs) return undefined;
    return (await readFile(path, "utf8").catch(absent))?.slice(0, maxReason);
  }

  /** Records why making a pyramid failed, for all processes that share the folder. */
  async recordFailure(name: string, reason: string): Promise<void> {
    await this.prepare(name);
    await writeFile(this.#failurePath(name), reason.slice(0, maxReason), { mode: 0o600 });
  }

  /** Free bytes of the file system. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Removes one pyramid. */
  async drop(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
  }

  /** Removes the pyramids of an image, or all; returns what it removed. */
  async remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount> {
    const prefix = identifier === undefined ? "" : imageHash(identifier);
    let [entries, bytes] = [0, 0];
    for await (const file of this.#files(signal, prefix)) {
      if (file.kind === "temporary") continue;
      await rm(file.path, { force: true });
      if (file.kind !== "pyramid") continue;
      entries++;
      bytes += file.bytes;
    }
    return { entries, bytes };
  }

  /** Removes unused and abandoned files, then the least recently used until the rest fits. */
  async sweep({ maxBytes, ttlMs, signal }: SweepLimits): Promise<Amount> {
    const removed = { entries: 0, bytes: 0 };
    const kept: StoredFile[] = [];
    const drop = async (file: StoredFile): Promise<void> => {
      await rm(file.path, { force: true });
      if (file.kind !== "pyramid") return;
      removed.entries++;
      removed.bytes += file.bytes;
    };
    for await (const file of this.#files(signal)) {
      const age = Date.now() - file.usedMs;
      const max = file.kind === "pyramid" ? ttlMs : file.kind === "failure" ? retryMs : abandonedMs;
      if (max > 0 && age > max) await drop(file);
      else if (file.kind === "pyramid") kept.push(file);
    }
    let total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const file of kept.sort((a, b) => a.usedMs - b.usedMs)) {
      if (total <= maxBytes) break;
      await drop(file);
      total -= file.bytes;
    }
    return removed;
  }

  /** Counts the pyramids, and the images that got none. */
  async state(signal: AbortSignal): Promise<FolderState> {
    let [entries, bytes, failed] = [0, 0, 0];
    for await (const file of this.#files(signal)) {
      if (file.kind === "failure") failed++;
      if (file.kind !== "pyramid") continue;
      entries++;
      bytes += file.bytes;
    }
    return { entries, bytes, failed };
  }

  #failurePath(name: string): string {
    return join(this.#root, name.slice(0, 2), `${name}.failed`);
  }

  /** Our files; names that we do not give are skipped, and links are not followed. */
  async *#files(signal: AbortSignal, prefix = ""): AsyncGenerator<StoredFile> {
    const shards = await opendir(this.#root).catch(absent);
    if (shards === undefined) return;
    for await (const shard of shards)
      if (shard.isDirectory() && isShard(shard.name, prefix))
        yield* filesIn(join(this.#root, shard.name), prefix, signal);
  }
}

/** Whether a folder of this name may contain files whose names begin with `prefix`. */
const isShard = (name: string, prefix: string): boolean =>
  /^[0-9a-f]{2}$/.test(name) && (prefix === "" || prefix.startsWith(name));

async function* filesIn(
  folder: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<StoredFile> {
  for await (const { name } of await opendir(folder)) {
    signal.throwIfAborted();
    const kind = kindOf(name);
    if (kind === undefined || !name.replace(/^\./, "").startsWith(prefix)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(absent);
    if (!found?.isFile()) continue;
    yield { path, kind, bytes: found.size, usedMs: Math.max(found.atimeMs, found.mtimeMs) };
  }
}

interface StoredFile {
  readonly path: string;
  readonly kind: "pyramid" | "failure" | "temporary";
  readonly bytes: number;
  readonly usedMs: number;
}

/** Maximum length of a stored reason. */
const maxReason = 500;

const names = /^(\.)?[0-9a-f]{32}-[0-9a-f]{32}\.(tif|failed|lock)(\.\d+\.(part|aside)(\.\w+)?)?$/;

const kindOf = (name: string): StoredFile["kind"] | undefined => {
  const found = names.exec(name);
  if (found === null) return undefined;
  const [, hidden, extension, suffix] = found;
  if (hidden !== undefined || suffix !== undefined || extension === "lock") return "temporary";
  return extension === "tif" ? "pyramid" : "failure";
};

const absent = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
};
