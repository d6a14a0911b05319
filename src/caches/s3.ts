import { openS3 } from "../clients/s3.ts";
import { defineKeys } from "../config/keys.ts";
import { keyPrefix, objectStore } from "./objects.ts";
import { defineStore } from "./store.ts";

/** Where the bucket is. */
const keys = defineKeys({
  "S3Cache.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the service; blank for Amazon's. With an endpoint the bucket's name is part of the path.",
    restart: true,
  },
  "S3Cache.region": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The region of the bucket; where blank, what AWS_REGION or the profile says, or us-east-1 where there is an endpoint.",
    restart: true,
  },
  "S3Cache.access_key_id": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "Who asks. Where this and S3Cache.secret_key are blank: what the environment, the profile or the role of the machine says.",
    restart: true,
  },
  "S3Cache.secret_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The secret that belongs to S3Cache.access_key_id.",
    restart: true,
  },
  "S3Cache.bucket.name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The bucket, which must exist. Other things may lie in it: only objects with names of entries below S3Cache.object_key_prefix are ever removed.",
    restart: true,
  },
  "S3Cache.object_key_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "What the keys of all objects begin with; slashes at its ends do not matter.",
    restart: true,
  },
});

/** Pictures and infos as objects of a bucket: `[prefix/]image/<hex>/<hex>` and `[prefix/]info/<hex>`. */
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
