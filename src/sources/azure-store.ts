import { createHash } from "node:crypto";
import { type AzureBlob, fetchAzurePart } from "../clients/azure-part.ts";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { azureMeaning, refuseAzure } from "./azure-failures.ts";
import { emptyObject, responseOf } from "./object-response.ts";
import type { RemoteObject, Store } from "./remote/store.ts";

/**
 * Finds out which blob an identifier stands for: its name or, where no container is configured, its
 * address with a signature. Undefined where there is none. A delegate's is such a one.
 */
export type AzureLookup = (
  identifier: string,
  context: RequestContext,
) => Promise<string | undefined>;

/** The blobs that a lookup may lead to. */
export interface AzureBlobs {
  /** The blob of that name or address; undefined where it can be none. */
  blob(found: string): Promise<AzureBlob | undefined>;
  close(): Promise<void>;
}

/** The blobs of Azure Storage. */
export const azureStore = (lookup: AzureLookup, blobs: AzureBlobs): Store => ({
  async locate(identifier, context) {
    const found = await lookup(identifier, context);
    const blob = found === undefined ? undefined : await blobs.blob(found);
    return blob === undefined
      ? fail("missing", `There is no image '${identifier}'.`)
      : objectAt(blob, identifier);
  },
  close: () => blobs.close(),
});

const objectAt = (blob: AzureBlob, identifier: string): RemoteObject => {
  // What stands behind the question mark is a signature.
  const { origin, pathname, search } = new URL(blob.url);
  const place = origin + pathname;
  const signature = createHash("sha256").update(search).digest("base64url").slice(0, 16);
  return {
    place,
    origin,
    // Who may not read it by another signature is not given what was read with this one.
    key: `azure ${signature} ${place}`,
    async get(range, { etag, signal }) {
      try {
        return responseOf(await fetchAzurePart(blob, { range, etag, signal }), place);
      } catch (error) {
        signal.throwIfAborted();
        if (azureMeaning(error) !== "unsatisfiable" || range === undefined)
          return refuseAzure(error, { identifier, place });
        if (range.offset > 0) throw new SourceChanged(error);
        return emptyObject();
      }
    },
  };
};
