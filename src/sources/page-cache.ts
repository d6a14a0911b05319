import { type BigIntStats, fstatSync, statfs } from "node:fs";
import { type SystemCalls, wouldBlock } from "../core/system-calls.ts";
import { readSyncAt, room } from "./positioned-read.ts";
import { RecentlyRead } from "./recently-read.ts";

/** Identifies one state of a file. */
export type FoundState = Pick<BigIntStats, "size" | "mtimeNs" | "ino">;

/** The parameters of page cache lookups. */
export type ReadingCalls = Pick<SystemCalls, "readNow">;

/** The dependencies of a near file. */
export interface PageCacheOptions {
  /** Absent: ranges read before are assumed to be in the page cache. */
  readonly calls?: ReadingCalls | undefined;
  /** A clock in milliseconds. */
  readonly now?: () => number;
}

/** In bytes. Larger pieces take so long to copy that a thread may as well do it. */
const maxAtOnce = 1_048_576;
/** Milliseconds: a slower read had to wait for a disk or a processor. */
const slowMs = 5;
/** Two slow reads among so many mean that the disk was the cause. */
const slowAmong = 32;

/**
 * An open file on a local disk. Data in the page cache is faster to read synchronously than through
 * a thread: its state always, which is cached while the file is open, and ranges that were read
 * before.
 */
export class PageCacheFile {
  readonly #descriptor: number;
  readonly #state: FoundState;
  readonly #recentlyRead: RecentlyRead;
  readonly #now: () => number;
  readonly #calls: ReadingCalls | undefined;
  /** Whether the system reports what it has in the page cache of this file. */
  #tells: boolean;
  #sinceSlow = slowAmong;

  constructor(
    descriptor: number,
    state: FoundState,
    { calls, now = () => performance.now() }: PageCacheOptions = {},
  ) {
    this.#calls = calls;
    this.#tells = calls !== undefined;
    this.#descriptor = descriptor;
    this.#state = state;
    this.#recentlyRead = new RecentlyRead(Number(state.size));
    this.#now = now;
  }

  /**
   * The bytes of a range, where they are probably in the page cache; undefined for others. They are
   * read into `into`, of exactly that length, where given.
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array | undefined {
    if (length > maxAtOnce) return undefined;
    if (this.#calls && this.#tells) {
      const bytes = into ?? room(length);
      const count = this.#calls.readNow(this.#descriptor, bytes, offset);
      if (count === length) return bytes;
      if (count >= 0) return bytes.subarray(0, count);
      this.#tells = count === wouldBlock;
      if (this.#tells) return undefined;
    }
    return this.#readIfWarm(offset, length, into);
  }

  /** Relies on earlier reads. */
  #readIfWarm(
    offset: number,
    length: number,
    into: Uint8Array | undefined,
  ): Uint8Array | undefined {
    if (!this.#recentlyRead.has(offset, length)) return undefined;
    const began = this.#now();
    const bytes = readSyncAt(this.#descriptor, offset, into ?? room(length));
    const slow = this.#now() - began > slowMs;
    if (slow && this.#sinceSlow < slowAmong) this.#recentlyRead.clear();
    this.#sinceSlow = slow ? 0 : this.#sinceSlow + 1;
    return bytes;
  }

  /** Records that a range was read otherwise. */
  note(offset: number, length: number): void {
    this.#recentlyRead.note(offset, length);
  }

  /** Whether the file is still as it was found. */
  unchanged(): boolean {
    const { size, mtimeNs, ino } = fstatSync(this.#descriptor, { bigint: true });
    return size === this.#state.size && mtimeNs === this.#state.mtimeNs && ino === this.#state.ino;
  }
}

/** Whether a path is on a local file system, as far as can be determined. */
export const isPageCached = (path: string): Promise<boolean> =>
  new Promise((resolve) =>
    statfs(path, (error, found) => resolve(error === null && nearTypes.has(found.type))),
  );

/** Linux's magic numbers of file systems that wait for no network (statfs(2)). */
const nearTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);
