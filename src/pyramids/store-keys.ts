import { defineKeys } from "../config/keys.ts";

/** Keys of the places where pyramids are stored. */
export const pyramidStoreKeys = defineKeys({
  "pyramids.store": {
    type: "choice",
    choices: ["folder", "S3", "AzureStorage"],
    default: "folder",
    doc: "Where pyramids are stored: `folder` for `pyramids.folder`; `S3` and `AzureStorage` for a bucket or container that servers share. With these two, pyramids are made in `pyramids.folder`, uploaded, and read by byte ranges.",
    restart: true,
  },
  "pyramids.S3.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the service; blank for Amazon S3. With an endpoint, the bucket's name is part of the path.",
    restart: true,
  },
  "pyramids.S3.region": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The region of the bucket. Blank uses AWS_REGION or the profile; with an endpoint, us-east-1.",
    restart: true,
  },
  "pyramids.S3.access_key_id": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The access key id. Where this and pyramids.S3.secret_key are blank, the AWS credential chain is used: environment, shared files, and the role of the container or machine.",
    restart: true,
  },
  "pyramids.S3.secret_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The secret key that belongs to pyramids.S3.access_key_id.",
    restart: true,
  },
  "pyramids.S3.bucket.name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The bucket, which must exist. It may contain other objects: only objects that are named like pyramids, below `pyramids.S3.object_key_prefix`, are ever removed.",
    restart: true,
  },
  "pyramids.S3.object_key_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Prefix of the keys of all objects; leading and trailing slashes are ignored.",
    restart: true,
  },
  "pyramids.AzureStorage.account_name": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The storage account.",
    restart: true,
  },
  "pyramids.AzureStorage.account_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "One of the account's keys, in base64 as the portal shows it.",
    restart: true,
  },
  "pyramids.AzureStorage.container_name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The container, created if missing; its name is converted to lower case. It may contain other blobs: only blobs that are named like pyramids, below `pyramids.AzureStorage.object_key_prefix`, are ever removed.",
    restart: true,
  },
  "pyramids.AzureStorage.object_key_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Prefix of the names of all blobs; leading and trailing slashes are ignored.",
    restart: true,
  },
  "pyramids.AzureStorage.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the account's blobs, for other clouds and for Azurite; blank for https://ACCOUNT.blob.core.windows.net.",
    restart: true,
  },
});
