import type * as Sdk from "@aws-sdk/client-s3";
import type { ObjectHeaders } from "./objects.ts";

/** A bucket and its client. */
export interface S3Place {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
  readonly bucket: string;
}

/** The content type of stored objects. */
export const contentType = "application/octet-stream";

/** The headers of an object, as fields of a request that stores it. */
export const headerFields = ({ contentType: ContentType, cacheControl }: ObjectHeaders) => ({
  ContentType,
  ...(cacheControl === undefined ? {} : { CacheControl: cacheControl }),
});

/** The status with which a service refused a request; undefined where there was no response. */
export const statusOf = (error: unknown): number | undefined =>
  (error as Sdk.S3ServiceException | undefined)?.$metadata?.httpStatusCode;

/** Responses of services that do not support a kind of request. */
export const notImplemented = 501;

/** Whether the object, or the upload, does not exist; a missing bucket is another matter. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && ["NoSuchKey", "NotFound", "NoSuchUpload"].includes(error.name);
