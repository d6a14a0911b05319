import { createHash } from "node:crypto";
import { type AzureBlob, fetchAzurePart, listAzureBlobs } from "../clients/azure-part.ts";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { azureMeaning, refuseAzure, refuseAzureListing } from "./azure-failures.ts";
import { emptyObject, responseOf } from "./object-response.ts";
import type { RemoteObject, Store, StoreKeys } from "./remote/store.ts";

/**
 * Maps an identifier to its blob: the name or, where no container is configured, the URL with a
 * signature. Undefined where there is none. Delegates provide such a function.
 */
export type AzureLookup = (
  identifier: string,
  context: RequestContext,
) => Promise<string | undefined>;

/** The blobs that a lookup may lead to. */
export interface AzureBlobs {
  /** The blob with that name or URL; undefined where it is invalid. */
  blob(found: string): Promise<AzureBlob | undefined>;
  close(): Promise<void>;
}

/** A container whose blobs are named after identifiers. */
export interface AzureNaming extends Pick<StoreKeys, "prefix" | "suffix"> {
  readonly container: Parameters<typeof listAzureBlobs>[0];
}

/** The blobs of Azure Storage; `naming` is absent if they cannot be listed. */
export const azureStore = (
  lookup: AzureLookup,
  blobs: AzureBlobs,
  naming?: () => Promise<AzureNaming>,
): Store => ({
  async locate(identifier, context) {
    const found = await lookup(identifier, context);
    const blob = found === undefined ? undefined : await blobs.blob(found);
    return blob === undefined
      ? fail("missing", `There is no image '${identifier}'.`)
      : objectAt(blob, identifier);
  },
  ...(naming ? { keys: async () => keysIn(await naming()) } : {}),
  close: () => blobs.close(),
});

const keysIn = ({ container, ...naming }: AzureNaming): StoreKeys => {
  // The query is a signature.
  const { origin, pathname } = new URL(container.url);
  const place = `${origin}${pathname}/${naming.prefix}`;
  return {
    ...naming,
    place,
    origin,
    async page(options) {
      try {
        return await listAzureBlobs(container, options);
      } catch (error) {
        options.signal.throwIfAborted();
        return refuseAzureListing(error, { place, isContinued: options.after !== undefined });
      }
    },
  };
};

const objectAt = (blob: AzureBlob, identifier: string): RemoteObject => {
  // The query is a signature.
  const { origin, pathname, search } = new URL(blob.url);
  const place = origin + pathname;
  const signature = createHash("sha256").update(search).digest("base64url").slice(0, 16);
  return {
    place,
    origin,
    // A client with another signature must not get cached bytes that were read with this one.
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
