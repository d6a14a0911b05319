import { fail, ServerError } from "../../core/errors.ts";
import { noPermission } from "../../core/no-permission.ts";
import { SourceChanged } from "../../core/range-reader.ts";

/** An error of a store that may or may not succeed on a retry. */
export class StoreFailure extends ServerError {
  /** Whether a retry may help. */
  readonly retry: boolean;
  /** Milliseconds after which the store wants to be asked again. */
  readonly retryAfterMs?: number;

  /** `detail` is for the log: without credentials, queries and signatures. */
  constructor(
    detail: string,
    {
      retry,
      retryAfterMs,
      cause,
    }: { readonly retry: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super("upstream", "The storage of the image did not respond properly.", {
      cause: new Error(detail, cause === undefined ? undefined : { cause }),
    });
    this.name = "StoreFailure";
    this.retry = retry;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** A response that contradicts the request or known facts; a retry would not help. */
export const contradictory = (place: string, detail: string): never => {
  throw new StoreFailure(`${place}: ${detail}`, { retry: false });
};

/** What an error of an object store's client means for the object. */
export type Meaning = "missing" | "denied" | "changed" | "unsatisfiable" | "lasting" | "passing";

/**
 * Throws what a client's error means for the image: `missing`, `denied`, `SourceChanged`, or a
 * `StoreFailure`, retried unless it is lasting. `detail` is for the log: no credentials, no
 * queries.
 */
export const refuseObject = (
  meaning: Meaning,
  {
    identifier,
    detail,
    cause,
  }: { readonly identifier: string; readonly detail: string; readonly cause: Error },
): never => {
  const told = new Error(detail, { cause });
  switch (meaning) {
    case "missing":
      return fail("missing", `There is no image '${identifier}'.`, told);
    case "denied":
      return fail("denied", noPermission(identifier), told);
    case "changed":
      throw new SourceChanged(told);
    default:
      throw new StoreFailure(detail, { retry: meaning !== "lasting", cause });
  }
};

/**
 * Throws the failure of a listing for a client's error: `missing`, `denied`, `malformed` for an
 * invalid cursor (`foreign`), or a `StoreFailure`, which is retried unless it is permanent.
 * `detail` is for the log: no credentials, no queries.
 */
export const refuseListing = (
  meaning: Meaning | "foreign",
  { detail, cause }: { readonly detail: string; readonly cause: Error },
): never => {
  const told = new Error(detail, { cause });
  switch (meaning) {
    case "foreign":
      return fail("malformed", notAfter, told);
    case "missing":
      return fail("missing", "The bucket or container of the images does not exist.", told);
    case "denied":
      return fail(
        "denied",
        "The server has no permission to list the images of its storage. The storage's administrator can grant it: s3:ListBucket in S3, List on the container in Azure Storage.",
        told,
      );
    default:
      throw new StoreFailure(detail, { retry: meaning !== "lasting", cause });
  }
};

/** The message for an invalid cursor. */
export const notAfter = 'Expected "after" to be the "next" of a part of this listing.';
