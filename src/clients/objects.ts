/** What a listing says of an object. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** A part of a listing, in the order of keys. */
export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** Whether others follow. */
  readonly more: boolean;
}

/** An object as it was fetched. */
export interface FetchedObject {
  readonly bytes: Uint8Array;
  readonly modifiedAt: Date;
}

/**
 * Objects by key, as S3 and its like keep them. Every call heeds its signal, and throws `upstream`
 * with what was asked for and what came where the service does not do it.
 */
export interface Objects {
  /** The whole object; undefined where there is none, or it is larger than `maxObjectBytes`. */
  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined>;
  /** Stores all of it or nothing. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Sets the time of its last change to now; nothing happens where it is gone. */
  touch(key: string, signal: AbortSignal): Promise<void>;
  /** All objects whose keys begin so, page by page. */
  list(prefix: string, signal: AbortSignal): AsyncGenerator<ListedPage>;
  /** Removes objects; those that are gone already count as removed. */
  remove(keys: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Gives up uploads of keys that begin so and are `ours`, where they were begun before a moment
   * and never finished. Absent: the service forgets them by itself.
   */
  giveUpUploads?(stale: StaleUploads, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Which unfinished uploads to give up. */
export interface StaleUploads {
  readonly prefix: string;
  readonly before: Date;
  readonly ours: (key: string) => boolean;
}

/** The largest object that is fetched: it is held in memory. */
export const maxObjectBytes = 1_073_741_824;

/**
 * Does something for parts of a list, so many items a time, so many parts at once; fails as the
 * first that fails.
 */
export const inParts = async <T>(
  items: readonly T[],
  { size, concurrency }: { readonly size: number; readonly concurrency: number },
  deed: (part: readonly T[]) => Promise<unknown>,
): Promise<void> => {
  let at = 0;
  const work = async (): Promise<void> => {
    while (at < items.length) {
      const part = items.slice(at, at + size);
      at += size;
      try {
        await deed(part);
      } catch (error) {
        at = items.length;
        throw error;
      }
    }
  };
  const workers = Math.min(concurrency, Math.ceil(items.length / size));
  const ends = await Promise.allSettled(Array.from({ length: workers }, work));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
};
