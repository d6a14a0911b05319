import { type S3Object, s3Object } from "../delegate/lookups.ts";
import { isObjectName } from "./remote/object-names.ts";
import type { S3Location, S3Lookup } from "./s3-store.ts";
import { lookupSession } from "./script.ts";

/** The object that the delegate names; undefined for null, and for an invalid bucket or key. */
export const scriptLookup: S3Lookup = async (identifier, context) => {
  const session = lookupSession(identifier, context);
  const found = await session.call("s3source_object_info", s3Object);
  return found !== null && isBucket(found.bucket) && isObjectName(found.key)
    ? locationOf(found)
    : undefined;
};

const locationOf = ({ bucket, key, ...found }: S3Object): S3Location => {
  const { endpoint, region, accessKeyId, secretAccessKey } = found;
  return {
    bucket,
    key,
    service: {
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : { accessKeyId, secretKey: secretAccessKey }),
    },
  };
};

/**
 * Whether a text names a bucket, or an access point by its ARN; it may be built from an identifier.
 */
const isBucket = (text: string): boolean =>
  /^(?:[A-Za-z0-9][\w.-]{0,254}|arn:[\w:/.-]{1,1000})$/.test(text) &&
  !text.split(/[/:]/).some((part) => part === "." || part === "..");
