import { homedir } from "node:os";
import { join } from "node:path";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { openAzure } from "../../src/clients/azure.ts";
import type { Objects } from "../../src/clients/objects.ts";
import { type Database, startDatabase } from "./database.ts";
import { listens, runnable } from "./listens.ts";

/** Azurite's blobs, and the settings by which a cache or a source finds them. */
export interface AzuriteServer extends Database {
  readonly settings: Readonly<Record<`AzureStorageCache.${string}`, string>>;
  readonly sourceSettings: Readonly<Record<`AzureStorageSource.${string}`, string>>;
  readonly pyramidSettings: Readonly<Record<`pyramids.${string}`, string>>;
  /** Its container `pictures`, created on the first write. */
  open(): Promise<Objects>;
}

const account = "vitrine";
/** Any base64 text would do. */
const key = Buffer.from("not so secret a key").toString("base64");

/** The program of Azurite that serves blobs, where it is installed. */
export const azuriteProgram = (): Promise<string | undefined> =>
  runnable(
    [process.env["VITRINE_AZURITE"] ?? "", join(homedir(), ".cache/vitrine-ci/azurite")]
      .filter((folder) => folder !== "")
      .map((folder) => join(folder, "node_modules/.bin/azurite-blob")),
  );

/** Why it cannot be tested with. */
export const azuriteMissing =
  "no Azurite in the folder that VITRINE_AZURITE names, or in ~/.cache/vitrine-ci/azurite";

/** Starts Azurite on a free port; it has no containers. */
export const startAzurite = async (program: string): Promise<AzuriteServer> => {
  const server = await startDatabase({
    name: "azurite",
    command: "env",
    args: ({ folder, port }) => [
      ...[`AZURITE_ACCOUNTS=${account}:${key}`, "NODE_OPTIONS=", process.execPath, program],
      ...["--blobHost", "127.0.0.1", "--blobPort", `${port}`, "--location", folder],
      // The client is newer than it.
      ...["--silent", "--skipApiVersionCheck", "--disableTelemetry"],
    ],
    answers: ({ port }) => listens(port),
  });
  const endpoint = `http://127.0.0.1:${server.port}/${account}`;
  return {
    ...server,
    open: () =>
      openAzure({
        endpoint,
        accountName: account,
        accountKey: key,
        container: "pictures",
        purpose: "",
      }),
    sourceSettings: {
      "AzureStorageSource.endpoint": endpoint,
      "AzureStorageSource.account_name": account,
      "AzureStorageSource.account_key": key,
      "AzureStorageSource.container_name": "Pictures",
    },
    pyramidSettings: {
      "pyramids.store": "AzureStorage",
      "pyramids.AzureStorage.endpoint": endpoint,
      "pyramids.AzureStorage.account_name": account,
      "pyramids.AzureStorage.account_key": key,
      "pyramids.AzureStorage.container_name": "Pictures",
    },
    settings: {
      "AzureStorageCache.endpoint": endpoint,
      "AzureStorageCache.account_name": account,
      "AzureStorageCache.account_key": key,
      "AzureStorageCache.container_name": "Pictures",
    },
  };
};

/** A signature that allows reading and listing all of the account's blobs until then. */
export const azuriteSignature = ({ expires }: { readonly expires: Date }): string =>
  generateAccountSASQueryParameters(
    {
      expiresOn: expires,
      permissions: AccountSASPermissions.parse("rl"),
      resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
      services: AccountSASServices.parse("b").toString(),
    },
    new StorageSharedKeyCredential(account, key),
  ).toString();
