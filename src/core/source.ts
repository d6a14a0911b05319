import type { RequestContext } from "./context.ts";
import type { RangeReader, ReadSync } from "./range-reader.ts";

/** Counts of requests to one server. */
export interface OriginState {
  /** As in `https://example.org`. */
  readonly origin: string;
  readonly breaker: "closed" | "open" | "trying";
  readonly running: number;
  readonly waiting: number;
  readonly requests: number;
  readonly failures: number;
  /** Received, in bytes. */
  readonly bytes: number;
  /** Recent average duration of a request in milliseconds. */
  readonly ms: number;
}

/** Requests sent to remote servers, and the bytes received. */
export interface Traffic {
  readonly requests: number;
  /** Received, in bytes, without headers. */
  readonly bytes: number;
}

/** A stored object that was found but not read yet. */
export interface SourceObject {
  readonly lastModified?: Date;
  /**
   * Changes whenever the stored bytes change (an ETag, or size and date); part of every
   * derivative's key.
   */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  /** Its location for operators: a path, or a URL without credentials, query and signature. */
  readonly place?: string;
  /** The kind of its source; set by sources that choose among others. */
  readonly kind?: string;
  /**
   * The requests that this process has sent for the object since it found it in this state; absent
   * or undefined for local files.
   */
  traffic?(): Traffic | undefined;
  /** Set where reading a little of it costs less than sharing the read. */
  readonly local?: true;
  /**
   * The result of `work` on bytes that are available without waiting. Undefined where it has none,
   * and where the object was changed. Absent where reading always waits.
   */
  sync?<T>(work: (read: ReadSync) => T | undefined): T | undefined;
  /** The signal only aborts opening, not reading. */
  open(signal?: AbortSignal): Promise<RangeReader>;
  /**
   * Set where `open` reads ranges although there is `download`: only formats that need the whole
   * file are copied.
   */
  readonly byRanges?: true;
  /**
   * All bytes from first to last, with their number where announced; absent where ranges are as
   * fast to read as from a local copy.
   */
  download?(signal: AbortSignal): Promise<{
    readonly length?: number;
    readonly body: AsyncIterable<Uint8Array>;
  }>;
}

/** A listed object of a source, which may not be an image. */
export interface ListedObject {
  readonly kind: "object";
  /** The last part of its identifier. */
  readonly name: string;
  /** The identifier for `find`. */
  readonly identifier: string;
  /** In bytes, if the listing contains it. */
  readonly size?: number;
  readonly lastModified?: Date;
}

/** A folder of a source, as listed. */
export interface ListedFolder {
  readonly kind: "folder";
  /** The last part of its path. */
  readonly name: string;
  /**
   * The names of its parents and its own, separated by slashes, without leading or trailing ones.
   */
  readonly path: string;
}

/** A part of a folder's contents. */
export interface Listing {
  /** In the source's order, which is the same each time. */
  readonly entries: readonly (ListedFolder | ListedObject)[];
  /** Pass it as `after` to get the following entries; absent if there are none. */
  readonly next?: string;
}

/** The part of a folder's contents to list. */
export interface ListingOptions {
  /** The `next` of the previous part; absent for the first one. Any other text is `malformed`. */
  readonly after?: string | undefined;
  /** The most entries, 1 to 1,000. */
  readonly max: number;
  readonly signal: AbortSignal;
}

/** A place that stores images. Throws `missing` or `denied`; any other error is `upstream`. */
export interface Source {
  find(identifier: string, context: RequestContext): Promise<SourceObject>;
  /**
   * Whether the place of the images can be reached and is not empty; throws `upstream` where it
   * cannot. Absent where only a request for an image can tell.
   */
  reach?(signal: AbortSignal): Promise<"there" | "empty">;
  /** The servers of this source that this process sent requests to; absent for local sources. */
  origins?(): readonly OriginState[];
  /**
   * Lists the contents of a folder, by its path without leading and trailing slashes; "" is the
   * top-level folder. Hidden names (those that begin with a dot) are skipped. Undefined if the
   * configuration does not allow listing; throws `missing` if the folder does not exist. Absent if
   * objects cannot be listed.
   */
  list?(folder: string, options: ListingOptions): Promise<Listing | undefined>;
  /**
   * The sources that this one chooses among, in the order of the configuration; absent for a single
   * source.
   */
  readonly parts?: readonly SourcePart[];
  close?(): Promise<void>;
}

/** One of several sources. */
export interface SourcePart {
  /** Distinguishes it from the others, for operators, as in `source.rules.1`. */
  readonly name: string;
  /** Its name in the configuration, such as `HttpSource`. */
  readonly kind: string;
  readonly source: Source;
}
