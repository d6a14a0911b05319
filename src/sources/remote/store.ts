import type { KeyPage, KeyPageOptions } from "../../clients/key-page.ts";
import type { RequestContext } from "../../core/context.ts";
import type { ByteRange } from "../../core/range-reader.ts";

/** A store's facts about an object besides its bytes. */
export interface ObjectFacts {
  /** Size of the whole object in bytes; absent if the store did not say. */
  readonly size?: number;
  /** Changes with the bytes: a strong ETag or the store's own version; absent if there is none. */
  readonly etag?: string;
  readonly lastModified?: Date;
  readonly contentType?: string;
}

/** A response whose body has not been read yet: read all of `body`, or call `discard`. */
export interface ObjectResponse extends ObjectFacts {
  /**
   * The range of the body; absent where it is the whole object, because no range was requested or
   * the store ignored it.
   */
  readonly part?: ByteRange;
  readonly body: AsyncIterable<Uint8Array>;
  /** Discards the body without reading it. */
  discard(): void;
}

/** An object in a store, located by name; no request was sent yet. */
export interface RemoteObject {
  /** Its location for logs: without credentials, query or signature. */
  readonly place: string;
  /** The key of limits, deadlines and the circuit breaker, as in `https://example.org`. */
  readonly origin: string;
  /** Cache key of the object: equal for the same object, different for any other. */
  readonly key: string;
  /**
   * Requests a range, or all of it. With `etag`, throws `SourceChanged` if the object is another
   * one by now. Throws `missing`, `denied`, `late` or `upstream`. One attempt: the caller handles
   * retries and deadlines.
   */
  get(
    range: ByteRange | undefined,
    options: { readonly etag?: string; readonly signal: AbortSignal },
  ): Promise<ObjectResponse>;
}

/** The keys of a store, which contain the identifiers. */
export interface StoreKeys {
  /** The location for logs: without credentials, query or signature. */
  readonly place: string;
  /** The key of limits, deadlines and the circuit breaker. */
  readonly origin: string;
  /** The part of every key before the identifier. */
  readonly prefix: string;
  /** The part of every key after the identifier. */
  readonly suffix: string;
  /**
   * Lists keys. Throws `missing`, `denied`, `upstream`, and `malformed` for an `after` that is not
   * from this store. Makes one attempt: the caller handles retries and deadlines.
   */
  page(options: KeyPageOptions): Promise<KeyPage>;
}

/** Locates objects of one store by identifiers. */
export interface Store {
  /** Throws `missing` where no object can have that identifier. */
  locate(identifier: string, context: RequestContext): Promise<RemoteObject>;
  /** Its keys; absent if they cannot be listed. */
  keys?(): Promise<StoreKeys>;
  close?(): Promise<void>;
}
