import { fail } from "../core/errors.ts";
import {
  type AzureAccount,
  azureKeyCredential,
  containerName,
  openAzureClient,
} from "./azure-client.ts";
import { attempts, Container } from "./azure-container.ts";
import type { FileObjects } from "./objects.ts";

/** The location of a container, and its user. */
export interface AzureSettings extends AzureAccount {
  /** Created on the first write. */
  readonly container: string;
}

/**
 * Blobs of one container. Sends no request yet. Throws `malformed` where a setting or the client
 * library is missing.
 */
export const openAzure = async (settings: AzureSettings): Promise<FileObjects> => {
  const { accountName, accountKey, purpose } = settings;
  for (const [name, value] of [
    ["an account name", accountName],
    ["an account key", accountKey],
  ])
    if (value === "") fail("malformed", `${purpose} needs ${name}; it is blank.`);
  const name = containerName(purpose, settings.container);
  const { sdk, endpoint, pipeline, close } = await openAzureClient(settings, { attempts });
  const credential = azureKeyCredential(sdk, settings);
  const client = new sdk.ContainerClient(`${endpoint}/${name}`, pipeline);
  return new Container(client, { name, credential, purpose, close });
};
