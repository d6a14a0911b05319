import { openS3 } from "../clients/s3.ts";
import { defineKeys } from "../config/keys.ts";
import { keyPrefix, objectStore } from "./objects.ts";
import { defineStore } from "./store.ts";

/** Settings that locate the bucket. */
const keys = defineKeys({
  "S3Cache.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the service; blank for Amazon S3. With an endpoint, the bucket's name is part of the path.",
    restart: true,
  },
  "S3Cache.region": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The region of the bucket. Blank uses AWS_REGION or the profile; with an endpoint, us-east-1.",
    restart: true,
  },
  "S3Cache.access_key_id": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The access key id. Where this and S3Cache.secret_key are blank, the AWS credential chain is used: environment, shared files, and the role of the container or machine.",
    restart: true,
  },
  "S3Cache.secret_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The secret key that belongs to S3Cache.access_key_id.",
    restart: true,
  },
  "S3Cache.bucket.name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The bucket, which must exist. It may contain other things: only objects that are named like cache entries, below S3Cache.object_key_prefix, are ever removed.",
    restart: true,
  },
  "S3Cache.object_key_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Prefix of the keys of all objects; slashes at its ends do not matter.",
    restart: true,
  },
});

/**
 * Images and infos as objects of a bucket: `[prefix/]image/<hex>/<hex>` and
 * `[prefix/]info/<hex>`.
 */
export const s3 = defineStore({
  keys,
  open: async (settings, context) =>
    objectStore(
      await openS3({
        endpoint: settings["S3Cache.endpoint"],
        region: settings["S3Cache.region"],
        accessKeyId: settings["S3Cache.access_key_id"],
        secretKey: settings["S3Cache.secret_key"],
        bucket: settings["S3Cache.bucket.name"],
        purpose: "S3Cache",
      }),
      { ...context, prefix: keyPrefix(settings["S3Cache.object_key_prefix"]) },
    ),
});
