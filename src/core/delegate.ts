import type { Size } from "./geometry.ts";

/** What a delegate may decide, by the names of Cantaloupe's delegate methods. */
export const delegateMethods = [
  "deserialize_meta_identifier",
  "serialize_meta_identifier",
  "pre_authorize",
  "authorize",
  "extra_iiif2_information_response_keys",
  "extra_iiif3_information_response_keys",
  "source",
  "filesystemsource_pathname",
  "httpsource_resource_info",
  "s3source_object_info",
  "azurestoragesource_blob_key",
  "jdbcsource_database_identifier",
  "jdbcsource_last_modified",
  "jdbcsource_media_type",
  "jdbcsource_lookup_sql",
  "overlay",
  "redactions",
  "metadata",
] as const;
export type DelegateMethod = (typeof delegateMethods)[number];

/**
 * A delegate's context of a request, under Cantaloupe's names. All keys are always present; unknown
 * ones are null. From `full_size` on, they are set once the image is known; the last three for
 * image requests only.
 */
export interface DelegateContext {
  /** The client's address, as far as trusted proxies report it. */
  readonly client_ip: string | null;
  readonly cookies: Readonly<Record<string, string>>;
  /** Decoded, without page and scale constraint. */
  readonly identifier: string | null;
  /** The URI as the server received it, with its query. */
  readonly local_uri: string | null;
  /** The public URI, without a query. */
  readonly request_uri: string | null;
  /** Names as received; of repeated ones the last. */
  readonly request_headers: Readonly<Record<string, string>>;
  /** From 1; null where the identifier in the URL names no page. */
  readonly page_number: number | null;
  /** Numerator and denominator; [1, 1] where there is no constraint. */
  readonly scale_constraint: readonly [number, number];
  /** Of the requested page as stored, in pixels. */
  readonly full_size: Size | null;
  /**
   * Embedded metadata in Cantaloupe's shape: `exif`, `iptc`, `xmp_string`, `xmp_elements`,
   * `native`, as far as present.
   */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly page_count: number | null;
  /**
   * The operations on the image in order; each has a `class`. Redactions are included once known.
   */
  readonly operations: readonly Readonly<Record<string, unknown>>[] | null;
  /** Media type. */
  readonly output_format: string | null;
  /** Of the response, in pixels. */
  readonly resulting_size: Size | null;
}

/** How a delegate's result is validated. */
export interface AnswerCheck<T> {
  /** What is accepted, for messages, as in `true, false or an object with status_code`. */
  readonly expected: string;
  /** The validated result; undefined where it is not as expected. */
  read(answer: unknown): T | undefined;
}

/** The delegate of one request, with its own instance and context. */
export interface DelegateSession {
  /**
   * Whether the delegate may read `metadata` in its context, so that it has to be loaded; absent:
   * no.
   */
  readonly wantsMetadata?: boolean;
  /** Whether the delegate has the method. */
  has(method: DelegateMethod): boolean;
  /** Adds facts about the request to the context, or replaces them. */
  learn(facts: Partial<DelegateContext>): void;
  /**
   * Calls a method, with `argument` in place of the options where one is given. Synchronous where
   * the method is. Throws `internal`, with details for the log, where the method is missing,
   * throws, misses its deadline or returns something that `check` rejects.
   */
  call<T>(method: DelegateMethod, check: AnswerCheck<T>, argument?: unknown): T | Promise<T>;
}

/** The request of a session. Its members may be getters, which are read on first use. */
export interface DelegateRequest {
  /** Names the request in the log. */
  readonly id: string;
  /** Aborts when nobody waits for the request any more. */
  readonly signal: AbortSignal;
  /**
   * The signal's reason once it has aborted, available without creating the signal; absent where
   * `signal` exists anyway.
   */
  readonly reason?: unknown;
}

/** An institution's delegate as the server calls it. */
export interface Delegate {
  /** Starts a session for a request. Facts may be getters, which are read on first use. */
  session(facts: Partial<DelegateContext>, request: DelegateRequest): DelegateSession;
}
