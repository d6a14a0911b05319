import { loggable } from "../clients/loggable-error.ts";
import { statusOf } from "../clients/s3-request.ts";
import { ServerError } from "../core/errors.ts";
import { type Meaning, refuseListing, refuseObject } from "./remote/failures.ts";

/** S3's error codes for missing or invalid objects and buckets. */
const missing = new Set(["NoSuchKey", "NoSuchBucket", "NotFound", "KeyTooLongError"]);
/**
 * Errors caused by credentials, regions or storage classes: a retry would get the same response.
 */
const lasting = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "RequestTimeTooSkewed",
  "InvalidToken",
  "InvalidObjectState",
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "CredentialsProviderError",
]);

/** Classifies an error of S3's client. */
export const s3Meaning = (error: unknown): Meaning => {
  const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (missing.has(name)) return "missing";
  if (lasting.has(name)) return "lasting";
  if (status === 412) return "changed";
  if (status === 416) return "unsatisfiable";
  if (status === 404) return "missing";
  return status === 403 ? "denied" : "passing";
};

/**
 * Throws what an error of S3's client means for the image with this identifier; `place` is for the
 * log.
 */
export const refuseS3 = (
  error: unknown,
  { identifier, place }: { readonly identifier: string; readonly place: string },
): never => {
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const detail = `${place}: ${cause.name}: ${cause.message}`;
  return refuseObject(s3Meaning(error), { identifier, detail, cause });
};

/** Throws what an error of S3's client means for a listing; `place` is for the log. */
export const refuseS3Listing = (
  error: unknown,
  { place, isContinued }: { readonly place: string; readonly isContinued: boolean },
): never => {
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const detail = `${place}: ${cause.name}: ${cause.message}`;
  const isForeign = isContinued && statusOf(error) === badRequest;
  return refuseListing(isForeign ? "foreign" : s3Meaning(error), { detail, cause });
};

const badRequest = 400;
