import { openAzure } from "../clients/azure.ts";
import { defineKeys } from "../config/keys.ts";
import { keyPrefix, objectStore } from "./objects.ts";
import { defineStore } from "./store.ts";

/** Settings that locate the container. */
const keys = defineKeys({
  "AzureStorageCache.account_name": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The storage account.",
    restart: true,
  },
  "AzureStorageCache.account_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "One of the account's keys, in base64 as the portal shows it.",
    restart: true,
  },
  "AzureStorageCache.container_name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The container, created if missing; capitals count as small letters. It may contain other things: only blobs that are named like cache entries, below AzureStorageCache.object_key_prefix, are ever removed.",
    restart: true,
  },
  "AzureStorageCache.object_key_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Prefix of the names of all blobs; slashes at its ends do not matter.",
    restart: true,
  },
  "AzureStorageCache.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the account's blobs, for other clouds and for Azurite; blank for https://ACCOUNT.blob.core.windows.net.",
    restart: true,
  },
});

/**
 * Images and infos as blobs of a container: `[prefix/]image/<hex>/<hex>` and
 * `[prefix/]info/<hex>`.
 */
export const azure = defineStore({
  keys,
  open: async (settings, context) =>
    objectStore(
      await openAzure({
        accountName: settings["AzureStorageCache.account_name"],
        accountKey: settings["AzureStorageCache.account_key"],
        endpoint: settings["AzureStorageCache.endpoint"],
        container: settings["AzureStorageCache.container_name"],
        purpose: "AzureStorageCache",
      }),
      { ...context, prefix: keyPrefix(settings["AzureStorageCache.object_key_prefix"]) },
    ),
});
