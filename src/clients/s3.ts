import { fail } from "../core/errors.ts";
import type { FileObjects, WebObjects } from "./objects.ts";
import { Bucket } from "./s3-bucket.ts";
import { openS3Client, type S3Service } from "./s3-client.ts";

/** The location of a bucket, and its user. */
export interface S3Settings extends S3Service {
  readonly bucket: string;
}

const attempts = 3;

/**
 * Objects of one bucket. Sends no request yet. Throws `malformed` where a setting or the client
 * library is missing.
 */
export const openS3 = async (settings: S3Settings): Promise<FileObjects & WebObjects> => {
  const { bucket, purpose } = settings;
  if (bucket === "") return fail("malformed", `${purpose} needs a bucket; its name is blank.`);
  return new Bucket({ ...(await openS3Client(settings, { attempts })), bucket }, purpose);
};
