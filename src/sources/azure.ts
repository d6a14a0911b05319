import {
  type AzureAccount,
  containerName,
  openAzureClient,
  openSignedClient,
} from "../clients/azure-client.ts";
import { type AzureBlob, hasAzureBlobs } from "../clients/azure-part.ts";
import { loggable } from "../clients/loggable-error.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { firstLine, isListingDenied } from "./azure-failures.ts";
import { addressLookup, nameLookup } from "./azure-script.ts";
import { type AzureBlobs, type AzureLookup, type AzureNaming, azureStore } from "./azure-store.ts";
import { defineSource } from "./kind.ts";
import { type Lazy, openOnce, whyNotOpen } from "./lazy.ts";
import { ownRemote } from "./own-remote.ts";
import { isObjectName } from "./remote/object-names.ts";
import { remoteSource } from "./remote/source.ts";
import { isScripted, lookupStrategies } from "./script.ts";

const azureSourceKeys = defineKeys({
  "AzureStorageSource.account_name": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The storage account.",
    restart: true,
  },
  "AzureStorageSource.account_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "One of the account's keys, in base64 as the portal shows it. Where this and AzureStorageSource.sas_token are blank, the identity of the machine is used: a service principal in the environment, a federated token, or a managed identity (AZURE_CLIENT_ID selects one of several).",
    restart: true,
  },
  "AzureStorageSource.sas_token": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "A shared access signature, used instead of an account key. It must allow reading blobs of the container.",
    restart: true,
  },
  "AzureStorageSource.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of the account's blobs, for other clouds and for Azurite; blank for https://ACCOUNT.blob.core.windows.net.",
    restart: true,
  },
  "AzureStorageSource.container_name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The container of the images; capitals count as small letters. Blank where the delegate returns whole addresses with signatures (`ScriptLookupStrategy`).",
    restart: true,
  },
  "AzureStorageSource.lookup_strategy": {
    type: "choice",
    choices: lookupStrategies,
    default: "BasicLookupStrategy",
    fileOnly: "program",
    doc: "How an identifier becomes the name of a blob: `BasicLookupStrategy` puts it between prefix and suffix; `ScriptLookupStrategy` calls `azurestoragesource_blob_key` of the delegate.",
    restart: true,
  },
  "AzureStorageSource.BasicLookupStrategy.path_prefix": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "Prepended to every identifier, literally: a folder needs its slash at the end.",
  },
  "AzureStorageSource.BasicLookupStrategy.path_suffix": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "Appended to every identifier.",
  },
});

type AzureSourceSettings = Settings<typeof azureSourceKeys>;

const strategyKey = "AzureStorageSource.lookup_strategy";
const containerKey = "AzureStorageSource.container_name";
const prefixKey = "AzureStorageSource.BasicLookupStrategy.path_prefix";
const suffixKey = "AzureStorageSource.BasicLookupStrategy.path_suffix";
const purpose = "AzureStorageSource";

/** Images in a container of Azure Storage. */
export const azureSource = defineSource({
  keys: azureSourceKeys,
  unusable: async (settings) => {
    if (settings[containerKey] !== "")
      return whyNotOpen(
        () => openConfigured(settings, 1),
        ({ close }) => close(),
      );
    return isScripted(settings[strategyKey])
      ? whyNotOpen(
          () => openSignedClient(purpose, { attempts: 1 }),
          ({ close }) => close(),
        )
      : `${containerKey} is blank: set it to the container of the images.`;
  },
  create(settings, log = silent, remote = ownRemote(log)) {
    const connections = remote.settings()["source.requests.max_per_origin"];
    const now = settings();
    const scripted = isScripted(now[strategyKey]);
    if (scripted && now[containerKey] === "")
      return remoteSource(azureStore(addressLookup, signedBlobs(connections)), remote);
    const container = openOnce(() => openConfigured(settings(), connections));
    const basicLookup: AzureLookup = async (identifier) => {
      const current = settings();
      return `${current[prefixKey]}${identifier}${current[suffixKey]}`;
    };
    const naming = async (): Promise<AzureNaming> => ({
      container: (await container.get()).client,
      prefix: settings()[prefixKey],
      suffix: settings()[suffixKey],
    });
    const blobs = blobsOf(container);
    const store = scripted ? azureStore(nameLookup, blobs) : azureStore(basicLookup, blobs, naming);
    return {
      ...remoteSource(store, remote),
      reach: (signal) => reach(container, scripted ? "" : settings()[prefixKey], signal),
    };
  },
});

const accountIn = (settings: AzureSourceSettings): AzureAccount => ({
  accountName: settings["AzureStorageSource.account_name"],
  accountKey: settings["AzureStorageSource.account_key"],
  sasToken: settings["AzureStorageSource.sas_token"],
  endpoint: settings["AzureStorageSource.endpoint"],
  purpose,
});

type Container = Awaited<ReturnType<typeof openContainer>>;

const openConfigured = (settings: AzureSourceSettings, connections: number): Promise<Container> =>
  openContainer(accountIn(settings), settings[containerKey], connections);

const openContainer = async (account: AzureAccount, container: string, connections: number) => {
  const name = containerName(account.purpose, container);
  // The caller retries.
  const sending = { attempts: 1, connections };
  const { sdk, pipeline, endpoint, query, close } = await openAzureClient(account, sending);
  return { client: new sdk.ContainerClient(`${endpoint}/${name}${query}`, pipeline), name, close };
};

/** Blobs of a container by name; its client is opened on first use. */
export const blobsIn = (
  account: AzureAccount,
  container: string,
  connections: number,
): AzureBlobs => blobsOf(openOnce(() => openContainer(account, container, connections)));

/** Blobs of the container by name. */
const blobsOf = (container: Lazy<Container>): AzureBlobs => ({
  async blob(name) {
    if (!isObjectName(name)) return undefined;
    return (await container.get()).client.getBlobClient(name);
  },
  async close() {
    (await container.opened()?.catch(() => undefined))?.close();
  },
});

/**
 * Blobs by whole URLs, usually signed. These come from a delegate, never from a request: an
 * identifier that is a URL would make the server fetch whatever the client likes.
 */
export const signedBlobs = (connections: number): AzureBlobs => {
  const client = openOnce(() => openSignedClient(purpose, { attempts: 1, connections }));
  return {
    async blob(address): Promise<AzureBlob | undefined> {
      if (!URL.canParse(address) || !/^https?:/.test(address)) return undefined;
      const { sdk, pipeline } = await client.get();
      return new sdk.BlobClient(address, pipeline);
    },
    async close() {
      (await client.opened()?.catch(() => undefined))?.close();
    },
  };
};

/** Looks for a first blob. A client that may not list a container may still read its blobs. */
const reach = async (
  container: Lazy<Container>,
  prefix: string,
  signal: AbortSignal,
): Promise<"there" | "empty"> => {
  const { client, name } = await container.get();
  try {
    return (await hasAzureBlobs(client, { prefix, signal })) ? "there" : "empty";
  } catch (error) {
    signal.throwIfAborted();
    if (isListingDenied(error)) return "there";
    const cause = loggable(error);
    return fail(
      "upstream",
      `The container '${name}' cannot be reached: ${firstLine(cause.message)}`,
      cause,
    );
  }
};
