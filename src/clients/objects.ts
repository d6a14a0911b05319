/** A listing's facts about an object. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** A page of a listing, in the order of keys. */
export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** Whether more pages follow. */
  readonly more: boolean;
}

/** A fetched object. */
export interface FetchedObject {
  readonly bytes: Uint8Array;
  readonly modifiedAt: Date;
}

/**
 * Objects by key, as in S3 and compatible services. Every call heeds its signal, and throws
 * `upstream` with what was expected and what came where the service fails.
 */
export interface Objects {
  /** The whole object; undefined where there is none, or it is larger than `maxObjectBytes`. */
  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined>;
  /** Stores all of it or nothing. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Sets its modification time to now; does nothing where it is gone. */
  touch(key: string, signal: AbortSignal): Promise<void>;
  /** All objects with a key prefix, page by page. */
  list(prefix: string, signal: AbortSignal): AsyncGenerator<ListedPage>;
  /** Removes objects; those already gone count as removed. */
  remove(keys: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Aborts unfinished uploads of keys with a prefix that are `ours` and began before a time.
   * Absent: the service discards them itself.
   */
  giveUpUploads?(stale: StaleUploads, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The headers that an object is served with. */
export interface ObjectHeaders {
  readonly contentType: string;
  readonly cacheControl?: string;
}

/** Objects that browsers read. */
export interface WebObjects extends Objects {
  /** As in `Objects`; without headers, the object has a generic type. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal, headers?: ObjectHeaders): Promise<void>;
  /** Whether an object of at least one byte exists. */
  has(key: string, signal: AbortSignal): Promise<boolean>;
}

/** Objects that are too large for memory, and conditional ones. */
export interface FileObjects extends Objects {
  /** As in `Objects`; those up to the key `after` may be skipped. */
  list(prefix: string, signal: AbortSignal, after?: string): AsyncGenerator<ListedPage>;
  /** Stores a file as one object, atomically. */
  putFile(key: string, path: string, signal: AbortSignal): Promise<void>;
  /**
   * Stores an object unless it exists; false if it does. Services that do not support the condition
   * replace the object.
   */
  create(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean>;
}

/** Selects the unfinished uploads to abort. */
export interface StaleUploads {
  readonly prefix: string;
  readonly before: Date;
  readonly ours: (key: string) => boolean;
}

/** Maximum size of a fetched object, which is held in memory. */
export const maxObjectBytes = 1_073_741_824;

/**
 * Processes a list in chunks of so many items, so many chunks concurrently; throws the first error.
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
