import type * as Sdk from "@aws-sdk/client-s3";

/** A bucket, and by what it is reached. */
export interface S3Place {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
  readonly bucket: string;
}

/** What everything is stored as. */
export const contentType = "application/octet-stream";

/** The status a service refused a request with; undefined where it did not get so far. */
export const statusOf = (error: unknown): number | undefined =>
  (error as Sdk.S3ServiceException | undefined)?.$metadata?.httpStatusCode;

/** What a service answers that does not know a kind of request. */
export const notImplemented = 501;

/**
 * Whether the object, or the upload, is not there; a bucket that is not there is another matter.
 */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && ["NoSuchKey", "NotFound", "NoSuchUpload"].includes(error.name);
