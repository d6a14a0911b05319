import { keyPrefix } from "../caches/objects.ts";
import { openAzure } from "../clients/azure.ts";
import { openS3 } from "../clients/s3.ts";
import type { Config } from "../config/store.ts";
import { blobsIn } from "../sources/azure.ts";
import { azureStore } from "../sources/azure-store.ts";
import type { Remote } from "../sources/remote/remote.ts";
import { remoteSource } from "../sources/remote/source.ts";
import { createS3Clients } from "../sources/s3-clients.ts";
import { s3Store } from "../sources/s3-store.ts";
import { PyramidObjects } from "./object-store.ts";
import type { PyramidStore } from "./store.ts";
import { pyramidStoreKeys } from "./store-keys.ts";

/**
 * Opens the configured bucket or container for pyramids, without sending a request; undefined for a
 * folder. Throws `malformed` if a setting or a client library is missing.
 */
export const openObjectStore = async (
  config: Config,
  remote: Remote,
): Promise<PyramidStore | undefined> => {
  const settings = config.view(pyramidStoreKeys)();
  if (settings["pyramids.store"] === "S3") {
    const service = {
      endpoint: settings["pyramids.S3.endpoint"],
      region: settings["pyramids.S3.region"],
      accessKeyId: settings["pyramids.S3.access_key_id"],
      secretKey: settings["pyramids.S3.secret_key"],
      purpose: "pyramids.S3",
    };
    const bucket = settings["pyramids.S3.bucket.name"];
    const objects = await openS3({ ...service, bucket });
    const store = s3Store({
      lookup: async (key) => ({ bucket, key }),
      service: () => service,
      clients: createS3Clients(() => ({ connections: connectionsOf(remote) })),
      onDenied: () => {},
    });
    const prefix = keyPrefix(settings["pyramids.S3.object_key_prefix"]);
    return new PyramidObjects({ objects, source: remoteSource(store, remote), prefix });
  }
  if (settings["pyramids.store"] !== "AzureStorage") return undefined;
  const account = {
    accountName: settings["pyramids.AzureStorage.account_name"],
    accountKey: settings["pyramids.AzureStorage.account_key"],
    endpoint: settings["pyramids.AzureStorage.endpoint"],
    purpose: "pyramids.AzureStorage",
  };
  const container = settings["pyramids.AzureStorage.container_name"];
  const objects = await openAzure({ ...account, container });
  const blobs = blobsIn(account, container, connectionsOf(remote));
  const prefix = keyPrefix(settings["pyramids.AzureStorage.object_key_prefix"]);
  const source = remoteSource(
    azureStore(async (key) => key, blobs),
    remote,
  );
  return new PyramidObjects({ objects, source, prefix });
};

const connectionsOf = (remote: Remote): number =>
  remote.settings()["source.requests.max_per_origin"];
