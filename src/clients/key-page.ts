/** A key as listed. */
export interface ListedKey {
  readonly key: string;
  /** In bytes; absent where the service does not tell. */
  readonly size?: number;
  readonly lastModified?: Date;
}

/** Which keys are listed. */
export interface KeyPageOptions {
  /** What keys begin with. */
  readonly prefix: string;
  /** The `next` of the page before; absent for the first one. */
  readonly after?: string | undefined;
  /** The most keys and prefixes together, 1 to 1,000. */
  readonly max: number;
  readonly signal: AbortSignal;
}

/** A page of what is directly below a prefix, as if slashes in keys separated folders. */
export interface KeyPage {
  /** Beginnings of keys up to their next slash, with it. */
  readonly prefixes: readonly string[];
  readonly keys: readonly ListedKey[];
  /** The service's text for the page that follows; absent at the end. */
  readonly next?: string;
}
