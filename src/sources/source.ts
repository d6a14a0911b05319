import type { Keys, Settings } from "../config/keys.ts";
import type { RequestContext } from "../core/context.ts";
import type { Logger } from "../core/log.ts";
import type { RangeReader, ReadAtOnce } from "../core/range-reader.ts";

/** A stored image, located but not yet read. */
export interface SourceObject {
  readonly lastModified?: Date;
  /** Changes whenever the stored bytes change (an ETag, or size and date); part of every derivative's key. */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  /** Set where reading a little of it costs less than finding out who else is reading it. */
  readonly local?: true;
  /**
   * What `work` makes of bytes that can be had without waiting. Undefined where it makes nothing of
   * them, and where the object is not as it was found any more. Absent where there is always a wait.
   */
  atOnce?<T>(work: (read: ReadAtOnce) => T | undefined): T | undefined;
  /** The signal is of whoever waits for it to be open, not of the reading. */
  open(signal?: AbortSignal): Promise<RangeReader>;
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
   * Whether the place of the images can be reached, and has anything in it; throws `upstream` where it
   * cannot. Absent where only asking for an image can tell.
   */
  reach?(signal: AbortSignal): Promise<"there" | "empty">;
  close?(): Promise<void>;
}

/** A kind of source: the keys it owns, and how to make one from a view of them, which may log what it notices. */
export interface SourceKind<K extends Keys> {
  readonly keys: K;
  /** Why there can be no images by these settings, in sentences for whoever runs the server; absent where only asking tells. */
  unusable?(settings: Settings<K>): Promise<string | undefined>;
  create(settings: () => Settings<K>, log?: Logger): Source;
}

export const defineSource = <const K extends Keys>(kind: SourceKind<K>): SourceKind<K> => kind;
