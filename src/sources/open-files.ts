import { type BigIntStats, close, fstat, open } from "node:fs";
import { promisify } from "node:util";
import { type ReadSync, SourceChanged } from "../core/range-reader.ts";
import { type FoundState, isPageCached, PageCacheFile, type ReadingCalls } from "./page-cache.ts";
import { readByThread } from "./positioned-read.ts";

/** Limits on open descriptors, and how long unused ones are kept. */
export interface OpenFileLimits {
  readonly max: number;
  readonly idleMs: number;
  /**
   * Whether ranges assumed to be in the page cache are read synchronously; else threads read
   * everything.
   */
  readonly sync?: boolean;
}

/** A local file that is open until it is released. */
export interface OpenFile {
  /**
   * The bytes of a range, perhaps in `into`, of exactly that length; fewer where the file ends
   * before.
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> | Uint8Array;
  /** Whether the file is still as it was found; covers all reads before the call. */
  unchanged(): Promise<boolean> | boolean;
  release(): void;
}

interface CachedDescriptor {
  readonly path: string;
  readonly version: string;
  readonly descriptor: number;
  readonly near: PageCacheFile | undefined;
  readonly unchanged: () => Promise<boolean>;
  users: number;
  idleSince: number;
  /**
   * Set once it no longer counts against the limit: it is closed when the last user has released
   * it.
   */
  retired: boolean;
  closed: boolean;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const statOpen = (descriptor: number): Promise<BigIntStats> =>
  new Promise((resolve, reject) =>
    fstat(descriptor, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats))),
  );

/** Identifies one state of a file. */
export const versionOf = ({ size, mtimeNs, ino }: FoundState): string =>
  `${size}-${mtimeNs}-${ino}`;

/**
 * Files open for reading, with one descriptor each however many read it, the least recently used
 * closed first. A descriptor is only used for the version it was opened for.
 */
export class OpenFiles {
  readonly #limits: () => OpenFileLimits;
  readonly #entries = new Map<string, CachedDescriptor>();
  readonly #opening = new Map<string, Promise<CachedDescriptor>>();
  #sweep: NodeJS.Timeout | undefined;
  readonly #calls: ReadingCalls | undefined;
  #closed = false;
  /** The entry used last. */
  #latest: CachedDescriptor | undefined;

  /** With `calls`, the system is asked what it has in the page cache. */
  constructor(limits: () => OpenFileLimits, calls?: ReadingCalls) {
    this.#limits = limits;
    this.#calls = calls;
  }

  /** Number of open files available to further readers. */
  get size(): number {
    return this.#entries.size;
  }

  /** The file in the version that was found; throws `SourceChanged` where it is another by now. */
  async lease(path: string, version: string): Promise<OpenFile> {
    let entry = this.#entries.get(path);
    // A file opened for several may be closed again before the last of them gets it.
    while (entry?.version !== version || entry.closed) entry = await this.#join(path, version);
    entry.users++;
    if (this.#entries.get(path) === entry) this.#touch(entry);
    this.#shrink();
    let released = false;
    const near = this.#limits().sync === false ? undefined : entry.near;
    return {
      read: (offset, length, into) =>
        near?.read(offset, length, into) ?? this.#readByThread(entry, offset, length),
      unchanged: () => near?.unchanged() ?? entry.unchanged(),
      release: () => {
        if (released) return;
        released = true;
        this.#release(entry);
      },
    };
  }

  /**
   * The result of `work` on a file that is open and in the page cache; undefined otherwise, and
   * where it was written to.
   */
  sync<T>(
    { path, version }: { readonly path: string; readonly version: string },
    work: (read: ReadSync) => T | undefined,
  ): T | undefined {
    const entry = this.#entries.get(path);
    const near = entry?.near;
    if (entry?.version !== version || near === undefined) return undefined;
    if (this.#limits().sync === false) return undefined;
    const result = work((offset, length, into) => near.read(offset, length, into));
    if (result === undefined) return undefined;
    entry.idleSince = performance.now();
    this.#touch(entry);
    return near.unchanged() ? result : undefined;
  }

  /** Closes unused files now, and the rest as soon as they are released. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#sweep);
    for (const entry of [...this.#entries.values()]) this.#retire(entry);
  }

  /** Moves an entry to the end: the map's order is the order of use. */
  #touch(entry: CachedDescriptor): void {
    if (this.#latest === entry) return;
    this.#entries.delete(entry.path);
    this.#entries.set(entry.path, entry);
    this.#latest = entry;
  }

  async #readByThread(
    entry: CachedDescriptor,
    offset: number,
    length: number,
  ): Promise<Uint8Array> {
    const bytes = await readByThread(entry.descriptor, offset, length);
    entry.near?.note(offset, length);
    return bytes;
  }

  #join(path: string, version: string): Promise<CachedDescriptor> {
    const key = `${path}\0${version}`;
    const before = this.#opening.get(key);
    if (before !== undefined) return before;
    const opening = this.#open(path, version).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(path: string, version: string): Promise<CachedDescriptor> {
    const descriptor = await openFile(path, "r");
    let near: PageCacheFile | undefined;
    try {
      const state = await statOpen(descriptor);
      if (versionOf(state) !== version) throw new SourceChanged();
      if (await isPageCached(path))
        near = new PageCacheFile(descriptor, state, { calls: this.#calls });
    } catch (error) {
      await closeFile(descriptor);
      throw error;
    }
    const entry: CachedDescriptor = {
      path,
      version,
      descriptor,
      near,
      unchanged: watch(descriptor, version),
      users: 0,
      idleSince: performance.now(),
      retired: false,
      closed: false,
    };
    const older = this.#entries.get(path);
    if (older !== undefined) this.#retire(older);
    if (this.#closed) entry.retired = true;
    else {
      this.#entries.set(path, entry);
      this.#latest = entry;
    }
    this.#schedule();
    return entry;
  }

  #release(entry: CachedDescriptor): void {
    entry.users--;
    entry.idleSince = performance.now();
    if (entry.retired) this.#closeIdle(entry);
    else this.#shrink();
  }

  #retire(entry: CachedDescriptor): void {
    entry.retired = true;
    if (this.#latest === entry) this.#latest = undefined;
    if (this.#entries.get(entry.path) === entry) this.#entries.delete(entry.path);
    this.#closeIdle(entry);
  }

  #closeIdle(entry: CachedDescriptor): void {
    if (entry.users > 0 || entry.closed) return;
    entry.closed = true;
    // Closing a descriptor only fails when it is closed already.
    closeFile(entry.descriptor).catch(() => undefined);
  }

  /** Files in use stay: their number is bounded by admission. */
  #shrink(): void {
    const { max } = this.#limits();
    if (this.#entries.size <= max) return;
    for (const entry of [...this.#entries.values()]) {
      if (this.#entries.size <= max) return;
      if (entry.users === 0) this.#retire(entry);
    }
  }

  #schedule(): void {
    if (this.#sweep !== undefined || this.#closed) return;
    this.#sweep = setTimeout(
      () => {
        this.#sweep = undefined;
        const before = performance.now() - this.#limits().idleMs;
        for (const entry of [...this.#entries.values()])
          if (entry.users === 0 && entry.idleSince <= before) this.#retire(entry);
        if (this.#entries.size > 0) this.#schedule();
      },
      Math.max(100, this.#limits().idleMs / 2),
    ).unref();
  }
}

/**
 * Checks whether an open file was written to. One check serves all callers before it began; one in
 * flight may have been too early for a new caller.
 */
const watch = (descriptor: number, version: string): (() => Promise<boolean>) => {
  let running: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  const look = async (): Promise<boolean> => versionOf(await statOpen(descriptor)) === version;
  const begin = (): Promise<boolean> => {
    const looking = look().finally(() => {
      if (running === looking) running = undefined;
    });
    running = looking;
    next = undefined;
    return looking;
  };
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
};
