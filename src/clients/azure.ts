import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type * as Sdk from "@azure/storage-blob";
import { fail } from "../core/errors.ts";
import { httpAddress } from "./address.ts";
import { attempts, Container } from "./azure-container.ts";
import { library } from "./library.ts";
import type { Objects } from "./objects.ts";

/** Where a container is, and who asks. */
export interface AzureSettings {
  readonly accountName: string;
  /** As the portal shows it, in base64. */
  readonly accountKey: string;
  /** The http(s) address of the account's blobs; where blank, that of the public cloud. */
  readonly endpoint: string;
  /** Made when something is first put into it. */
  readonly container: string;
  /** What it is for, to begin messages with: `AzureStorageCache`. */
  readonly purpose: string;
}

const mostConnections = 64;
const firstRetryMs = 200;
const mostRetryMs = 5_000;
/** After which an attempt of any kind is lost, in milliseconds. */
const attemptMs = 60_000;

/**
 * Blobs of one container. Nothing is asked of the service yet. Throws `malformed` where a setting
 * or the client library is missing.
 */
export const openAzure = async (settings: AzureSettings): Promise<Objects> => {
  const { accountName, accountKey, purpose } = settings;
  for (const [name, value] of [
    ["an account name", accountName],
    ["an account key", accountKey],
  ])
    if (value === "") fail("malformed", `${purpose} needs ${name}; it is blank.`);
  const container = containerOf(settings);
  const sdk = await library("@azure/storage-blob@12.32.0", {
    load: () => import("@azure/storage-blob"),
    purpose,
  });
  const endpoint = endpointOf(settings);
  const options = { keepAlive: true, maxSockets: mostConnections };
  const agent = endpoint.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
  const credential = credentialOf(sdk, settings);
  const pipeline = sdk.newPipeline(credential, {
    retryOptions: {
      maxTries: attempts,
      tryTimeoutInMs: attemptMs,
      retryDelayInMs: firstRetryMs,
      maxRetryDelayInMs: mostRetryMs,
    },
  });
  // The library's own agent has no bound.
  pipeline.factories.unshift({
    create: (next) => ({
      sendRequest: (request) => {
        request.agent = agent;
        return next.sendRequest(request);
      },
    }),
  });
  const client = new sdk.ContainerClient(`${endpoint}/${container}`, pipeline);
  const close = (): void => agent.destroy();
  return new Container(client, { name: container, credential, purpose, close });
};

const credentialOf = (
  sdk: typeof Sdk,
  { accountName, accountKey, purpose }: AzureSettings,
): Sdk.StorageSharedKeyCredential =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(accountKey)
    ? new sdk.StorageSharedKeyCredential(accountName, accountKey)
    : fail("malformed", `${purpose} needs an account key in base64; got something else.`);

const containerOf = ({ container, purpose }: AzureSettings): string => {
  const name = container.toLowerCase();
  return /^[a-z0-9](?:-?[a-z0-9]){2,62}$/.test(name)
    ? name
    : fail(
        "malformed",
        `${purpose} needs a container name of 3 to 63 letters, digits and single dashes; got '${container}'.`,
      );
};

const endpointOf = ({ endpoint, accountName, purpose }: AzureSettings): string => {
  const url = endpoint === "" ? `https://${accountName}.blob.core.windows.net` : endpoint;
  return httpAddress(purpose, endpoint, url).replace(/\/+$/, "");
};
