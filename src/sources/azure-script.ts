import type { AnswerCheck } from "../core/delegate.ts";
import { isWebAddress, textOrNone } from "../delegate/answers.ts";
import type { AzureLookup } from "./azure-store.ts";
import { namedAddress } from "./http-address.ts";
import { lookupSession } from "./script.ts";

/** The name of the blob that the delegate names. */
export const nameLookup: AzureLookup = async (identifier, context) => {
  const session = lookupSession(identifier, context);
  return (await session.call("azurestoragesource_blob_key", textOrNone)) ?? undefined;
};

/**
 * The URL of the blob that the delegate names, where no container is configured. Undefined for
 * null, and where a part of its path is one or two dots.
 */
export const addressLookup: AzureLookup = async (identifier, context) => {
  const session = lookupSession(identifier, context);
  const address = await session.call("azurestoragesource_blob_key", addressOrNone);
  return address === null ? undefined : namedAddress(address)?.href;
};

const addressOrNone: AnswerCheck<string | null> = {
  expected:
    "the whole address of a blob with its signature, since AzureStorageSource.container_name is blank, or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    return isWebAddress(answer) ? answer : undefined;
  },
};
