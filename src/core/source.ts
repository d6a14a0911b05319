import type { RequestContext } from "./context.ts";
import type { RangeReader, ReadSync } from "./range-reader.ts";

/** What was asked of one server, and how it did. */
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
  /** Milliseconds that requests took, lately, on average. */
  readonly ms: number;
}

/** Requests sent to remote servers, and what they sent back. */
export interface Traffic {
  readonly requests: number;
  /** Received, in bytes, without headers. */
  readonly bytes: number;
}

/** A stored image, located but not yet read. */
export interface SourceObject {
  readonly lastModified?: Date;
  /**
   * Changes whenever the stored bytes change (an ETag, or size and date); part of every
   * derivative's key.
   */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  /**
   * Where it lies, for operators: a path, or an address without credentials, query and signature.
   */
  readonly place?: string;
  /** The kind of source it was found in; set by sources that choose among others. */
  readonly kind?: string;
  /**
   * What this process has asked of the object's server for it, since it found it in this state;
   * absent, or undefined, for local files.
   */
  traffic?(): Traffic | undefined;
  /** Set where reading a little of it costs less than finding out who else is reading it. */
  readonly local?: true;
  /**
   * What `work` makes of bytes that can be had without waiting. Undefined where it makes nothing of
   * them, and where the object is not as it was found any more. Absent where there is always a
   * wait.
   */
  sync?<T>(work: (read: ReadSync) => T | undefined): T | undefined;
  /** The signal is of whoever waits for it to be open, not of the reading. */
  open(signal?: AbortSignal): Promise<RangeReader>;
  /**
   * Set where `open` reads ranges, although there is `download`: formats that need all bytes are
   * copied, others are not.
   */
  readonly byRanges?: true;
  /**
   * All bytes from the first to the last, with how many there will be where that is announced;
   * absent where ranges are read as easily as from a local copy.
   */
  download?(signal: AbortSignal): Promise<{
    readonly length?: number;
    readonly body: AsyncIterable<Uint8Array>;
  }>;
}

/** Somewhere images are kept. Throws `missing` or `denied`; anything else is `upstream`. */
export interface Source {
  find(identifier: string, context: RequestContext): Promise<SourceObject>;
  /**
   * Whether the place of the images can be reached, and has anything in it; throws `upstream` where
   * it cannot. Absent where only asking for an image can tell.
   */
  reach?(signal: AbortSignal): Promise<"there" | "empty">;
  /**
   * The servers that this process asked for objects of this source, and how they did; absent for
   * local sources.
   */
  origins?(): readonly OriginState[];
  /**
   * The sources that this one chooses among, in the order of the configuration; absent where it is
   * the only one.
   */
  readonly parts?: readonly SourcePart[];
  close?(): Promise<void>;
}

/** One of several sources. */
export interface SourcePart {
  /** Tells it from the others, for operators, as in `source.rules.1`. */
  readonly name: string;
  /** As the configuration calls it, such as `HttpSource`. */
  readonly kind: string;
  readonly source: Source;
}
