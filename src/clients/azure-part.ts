import { addAbortSignal, type Readable } from "node:stream";
import type { BlobClient, ContainerClient } from "@azure/storage-blob";
import type { KeyPage, KeyPageOptions } from "./key-page.ts";
import { type FetchedPart, factsOf, type PartWanted } from "./part.ts";

/** A blob, located but not requested. */
export type AzureBlob = BlobClient;

/**
 * Fetches a blob or a range of it, by one request for each attempt the client makes. Rethrows the
 * library's errors, and the signal's reason.
 */
export const fetchAzurePart = async (
  blob: BlobClient,
  { range, etag, signal }: PartWanted & { readonly signal: AbortSignal },
): Promise<FetchedPart> => {
  const sent = await blob.download(range?.offset ?? 0, range?.length, {
    abortSignal: signal,
    maxRetryRequests: 0,
    ...(etag === undefined ? {} : { conditions: { ifMatch: etag } }),
  });
  return {
    ...factsOf({
      range: sent.contentRange,
      length: sent.contentLength,
      etag: sent.etag,
      lastModified: sent.lastModified,
      contentType: sent.contentType,
    }),
    body: addAbortSignal(signal, sent.readableStreamBody as Readable),
  };
};

/** Whether a container has any blob with a name prefix. Rethrows the library's errors. */
export const hasAzureBlobs = async (
  container: ContainerClient,
  { prefix, signal }: { readonly prefix: string; readonly signal: AbortSignal },
): Promise<boolean> => {
  const pages = container.listBlobsFlat({ prefix, abortSignal: signal }).byPage({ maxPageSize: 1 });
  const { value } = await pages.next();
  return (value?.segment.blobItems.length ?? 0) > 0;
};

/**
 * Lists the keys directly below a prefix, with one request per attempt of the client. Rethrows the
 * library's errors and the signal's reason.
 */
export const listAzureBlobs = async (
  container: ContainerClient,
  { prefix, after, max, signal }: KeyPageOptions,
): Promise<KeyPage> => {
  const pages = container.listBlobsByHierarchy("/", { prefix, abortSignal: signal }).byPage({
    maxPageSize: max,
    ...(after === undefined ? {} : { continuationToken: after }),
  });
  const { value, done } = await pages.next();
  if (done) return { prefixes: [], keys: [] };
  const { segment, continuationToken } = value;
  return {
    prefixes: (segment.blobPrefixes ?? []).map(({ name }) => name),
    keys: segment.blobItems.map(({ name, properties: { contentLength, lastModified } }) => ({
      key: name,
      ...(contentLength === undefined ? {} : { size: contentLength }),
      lastModified,
    })),
    ...(continuationToken ? { next: continuationToken } : {}),
  };
};
