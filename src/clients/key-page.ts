/** A listed key. */
export interface ListedKey {
  readonly key: string;
  /** In bytes; absent if the service does not report it. */
  readonly size?: number;
  readonly lastModified?: Date;
}

/** The keys to list. */
export interface KeyPageOptions {
  /** The prefix of the keys. */
  readonly prefix: string;
  /** The `next` of the previous page; absent for the first one. */
  readonly after?: string | undefined;
  /** Maximum number of keys and prefixes together, 1 to 1,000. */
  readonly max: number;
  readonly signal: AbortSignal;
}

/** A page of the keys directly below a prefix, with slashes in keys as separators of folders. */
export interface KeyPage {
  /** Prefixes of keys up to and including their next slash. */
  readonly prefixes: readonly string[];
  readonly keys: readonly ListedKey[];
  /** The service's token for the next page; absent at the end. */
  readonly next?: string;
}
