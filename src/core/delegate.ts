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
 * What a delegate knows of a request, under Cantaloupe's names. All keys are always there; those
 * that are not known yet are null. From `full_size` on, they are set once the image is known; the
 * last three for image requests only.
 */
export interface DelegateContext {
  /** The client's address, as far as trusted proxies tell. */
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
   * `native`, as far as there are any.
   */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly page_count: number | null;
  /**
   * What is done to the image, in order; each has a `class`. Redactions are in it once they are
   * known.
   */
  readonly operations: readonly Readonly<Record<string, unknown>>[] | null;
  /** Media type. */
  readonly output_format: string | null;
  /** Of the response, in pixels. */
  readonly resulting_size: Size | null;
}

/** How a delegate's answer is checked. */
export interface AnswerCheck<T> {
  /** What is accepted, for messages, as in `true, false or an object with status_code`. */
  readonly expected: string;
  /** The answer as a value; undefined where it is not what is expected. */
  read(answer: unknown): T | undefined;
}

/** The delegate of one request, with an instance and a context of its own. */
export interface DelegateSession {
  /**
   * Whether the delegate may look at `metadata` in its context, so that it has to be read; absent:
   * no.
   */
  readonly wantsMetadata?: boolean;
  /** Whether the delegate has the method. */
  has(method: DelegateMethod): boolean;
  /** Adds to the context, or replaces, what became known of the request. */
  learn(facts: Partial<DelegateContext>): void;
  /**
   * Calls a method, with `argument` in place of the options where one is given. The answer is no
   * promise where the method returned none. Throws `internal`, with what happened for the log,
   * where the method is missing, throws, misses its deadline or answers something else than `check`
   * accepts.
   */
  call<T>(method: DelegateMethod, check: AnswerCheck<T>, argument?: unknown): T | Promise<T>;
}

/**
 * The request that a session is for. Its members may be getters, which are read when they are first
 * needed.
 */
export interface DelegateRequest {
  /** Names the request in the log. */
  readonly id: string;
  /** Aborts when nobody waits for the request any more. */
  readonly signal: AbortSignal;
  /**
   * The signal's reason once it has aborted, known without making the signal; absent where `signal`
   * is there anyway.
   */
  readonly reason?: unknown;
}

/** An institution's own rules, as the server asks for them. */
export interface Delegate {
  /**
   * Starts a session for a request. Facts may be getters, which are read when they are first
   * needed.
   */
  session(facts: Partial<DelegateContext>, request: DelegateRequest): DelegateSession;
}
