import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type * as Sdk from "@azure/storage-blob";
import { environment } from "../config/environment.ts";
import { fail } from "../core/errors.ts";
import { httpAddress } from "./address.ts";
import { library } from "./library.ts";

/** A storage account and its credentials. Empty is the same as absent. */
export interface AzureAccount {
  readonly accountName: string;
  /** As the portal shows it, in base64. */
  readonly accountKey: string;
  /** A shared access signature, with or without the leading question mark. */
  readonly sasToken?: string;
  /** The http(s) URL of the account's blobs; where empty, that of the public cloud. */
  readonly endpoint: string;
  /** Its user, for the beginning of messages: `AzureStorageCache`. */
  readonly purpose: string;
}

/** A client for Azure that has not sent any request yet. */
export interface AzureClient {
  readonly sdk: typeof Sdk;
  readonly pipeline: Sdk.Pipeline;
  close(): void;
}

/** A client for one account. */
export interface AzureAccountClient extends AzureClient {
  /** The URL of the account's blobs, as in `https://account.blob.core.windows.net`. */
  readonly endpoint: string;
  /** Appended to every URL: empty, or a signature with its question mark. */
  readonly query: string;
}

/** Maximum number of attempts of a request. */
export interface AzureSending {
  readonly attempts: number;
  /** Maximum connections to each host; 64. */
  readonly connections?: number;
}

const usualConnections = 64;
const firstRetryMs = 200;
const maxRetryMs = 5_000;
/** Time limit of any attempt in milliseconds. */
const attemptMs = 60_000;

const azureLibrary = (purpose: string): Promise<typeof Sdk> =>
  library("@azure/storage-blob@12.32.0", { load: () => import("@azure/storage-blob"), purpose });

/**
 * A client of an account: with its key, with a signature, or else with this machine's identity.
 * Throws `malformed` where a setting or a client library is missing.
 */
export const openAzureClient = async (
  account: AzureAccount,
  sending: AzureSending,
): Promise<AzureAccountClient> => {
  const { accountName, accountKey, sasToken = "", purpose } = account;
  const endpoint = azureEndpoint(account);
  const sdk = await azureLibrary(purpose);
  if (sasToken !== "")
    return {
      ...clientOf(sdk, new sdk.AnonymousCredential(), sending),
      endpoint,
      query: `?${sasToken.replace(/^\?/, "")}`,
    };
  const credential =
    accountKey === ""
      ? await machineIdentity(purpose)
      : azureKeyCredential(sdk, { accountName, accountKey, purpose });
  return { ...clientOf(sdk, credential, sending), endpoint, query: "" };
};

/** A client for URLs with a signature of their own, of any account. */
export const openSignedClient = async (
  purpose: string,
  sending: AzureSending,
): Promise<AzureClient> => {
  const sdk = await azureLibrary(purpose);
  return clientOf(sdk, new sdk.AnonymousCredential(), sending);
};

export const azureKeyCredential = (
  sdk: typeof Sdk,
  { accountName, accountKey, purpose }: Omit<AzureAccount, "endpoint">,
): Sdk.StorageSharedKeyCredential =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(accountKey)
    ? new sdk.StorageSharedKeyCredential(accountName, accountKey)
    : fail("malformed", `${purpose} needs an account key in base64; got something else.`);

/** The URL of an account's blobs, no trailing slash. */
const azureEndpoint = ({ endpoint, accountName, purpose }: AzureAccount): string => {
  if (accountName === "" && endpoint === "")
    fail("malformed", `${purpose} needs an account name; it is blank.`);
  const url = endpoint === "" ? `https://${accountName}.blob.core.windows.net` : endpoint;
  return httpAddress(purpose, endpoint, url).replace(/\/+$/, "");
};

/**
 * A container's name as the service accepts it: in lower case. Throws `malformed` for an invalid
 * one.
 */
export const containerName = (purpose: string, container: string): string => {
  const name = container.toLowerCase();
  return /^(?:\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62})$/.test(name)
    ? name
    : fail(
        "malformed",
        `${purpose} needs a container name of 3 to 63 letters, digits and single dashes; got '${container}'.`,
      );
};

const clientOf = (
  sdk: typeof Sdk,
  credential: Parameters<(typeof Sdk)["newPipeline"]>[0],
  { attempts, connections = usualConnections }: AzureSending,
): AzureClient => {
  const options = { keepAlive: true, maxSockets: connections };
  const plain = new HttpAgent(options);
  const encrypted = new HttpsAgent(options);
  const pipeline = sdk.newPipeline(credential, {
    retryOptions: {
      maxTries: attempts,
      tryTimeoutInMs: attemptMs,
      retryDelayInMs: firstRetryMs,
      maxRetryDelayInMs: maxRetryMs,
    },
  });
  // The library's own agent has no limit.
  pipeline.factories.unshift({
    create: (next) => ({
      sendRequest: (request) => {
        request.agent = request.url.startsWith("https:") ? encrypted : plain;
        return next.sendRequest(request);
      },
    }),
  });
  return {
    sdk,
    pipeline,
    close: () => {
      plain.destroy();
      encrypted.destroy();
    },
  };
};

/**
 * Azure's credentials for programs: a service principal in the environment, a federated token
 * (Kubernetes), or a managed identity. Developer logins are not used.
 */
const machineIdentity = async (purpose: string) => {
  const sdk = await library("@azure/identity@4.13.1", {
    load: () => import("@azure/identity"),
    purpose: `${purpose} without account key and signature uses the machine's identity, which`,
  });
  const clientId = environment()["AZURE_CLIENT_ID"];
  const federated = (): readonly InstanceType<typeof sdk.WorkloadIdentityCredential>[] => {
    try {
      return [new sdk.WorkloadIdentityCredential()];
    } catch {
      return []; // There is no federated token.
    }
  };
  return new sdk.ChainedTokenCredential(
    new sdk.EnvironmentCredential(),
    ...federated(),
    clientId === undefined
      ? new sdk.ManagedIdentityCredential()
      : new sdk.ManagedIdentityCredential({ clientId }),
  );
};
