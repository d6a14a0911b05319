import type { Readable } from "node:stream";
import type * as Sdk from "@azure/storage-blob";
import { wholeBody } from "./body.ts";
import { type Ask, callPlace } from "./calls.ts";
import {
  type FetchedObject,
  type FileObjects,
  type ListedPage,
  maxObjectBytes,
  type Objects,
} from "./objects.ts";
import { removal } from "./removal.ts";

/** Maximum number of attempts of a request. */
export const attempts = 3;
/** Maximum number of blobs that one request may remove. */
const batchKeys = 256;
const concurrentBatches = 4;

/** What a container's client does not know of it. */
interface ContainerParts {
  readonly name: string;
  readonly credential: Sdk.StorageSharedKeyCredential;
  readonly purpose: string;
  readonly close: () => void;
}

/** The blobs of a container. */
export class Container implements FileObjects {
  readonly #client: Sdk.ContainerClient;
  readonly #parts: ContainerParts;
  readonly #ask: Ask;
  readonly remove: Objects["remove"];

  constructor(client: Sdk.ContainerClient, parts: ContainerParts) {
    this.#client = client;
    this.#parts = parts;
    this.#ask = callPlace(`${parts.purpose} expected the container ${parts.name}`, codeOf);
    this.remove = removal({
      batchKeys,
      concurrentBatches,
      one: (key, signal) => this.#removeOne(key, signal),
      batch: (keys, signal) => this.#removeBatch(keys, signal),
    });
  }

  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined> {
    return this.#ask(`read ${key}`, signal, async (abortSignal) => {
      try {
        const answer = await this.#client
          .getBlobClient(key)
          .download(0, undefined, { abortSignal, maxRetryRequests: attempts - 1 });
        const body = answer.readableStreamBody as Readable;
        const bytes = await wholeBody(body, { max: maxObjectBytes, signal });
        return bytes && { bytes, modifiedAt: answer.lastModified ?? new Date() };
      } catch (error) {
        if (statusOf(error) === notFound) return undefined;
        throw error;
      }
    });
  }

  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#ask(`write ${key}`, signal, (abortSignal) =>
      this.#withContainer(abortSignal, async () => {
        await this.#client
          .getBlockBlobClient(key)
          .uploadData(bytes, { abortSignal, ...uploadOptions });
      }),
    );
  }

  putFile(key: string, path: string, signal: AbortSignal): Promise<void> {
    return this.#ask(`write ${key}`, signal, (abortSignal) =>
      this.#withContainer(abortSignal, async () => {
        await this.#client
          .getBlockBlobClient(key)
          .uploadFile(path, { abortSignal, ...uploadOptions });
      }),
    );
  }

  create(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
    return this.#ask(`create ${key}`, signal, async (abortSignal) => {
      const options = { abortSignal, ...uploadOptions, conditions: { ifNoneMatch: "*" } };
      try {
        await this.#withContainer(abortSignal, async () => {
          await this.#client.getBlockBlobClient(key).uploadData(bytes, options);
        });
        return true;
      } catch (error) {
        if (isTaken.has(statusOf(error) ?? 0)) return false;
        throw error;
      }
    });
  }

  /** Creates the container if a write finds it missing. */
  async #withContainer(abortSignal: AbortSignal, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (codeOf(error) !== "ContainerNotFound") throw error;
      await this.#client.createIfNotExists({ abortSignal });
      await write();
    }
  }

  async touch(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask(`renew ${key}`, signal, async (abortSignal) => {
      try {
        await this.#client.getBlobClient(key).setMetadata({}, { abortSignal });
      } catch (error) {
        if (statusOf(error) !== notFound) throw error;
      }
    });
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<ListedPage> {
    const pages = this.#client
      .listBlobsFlat({ prefix, abortSignal: signal })
      .byPage({ maxPageSize: pageKeys });
    for (;;) {
      const page = await this.#ask(`list ${prefix}`, signal, async () => {
        try {
          return await pages.next();
        } catch (error) {
          if (codeOf(error) === "ContainerNotFound") return ended;
          throw error;
        }
      });
      if (page.done) return;
      const { segment, continuationToken } = page.value;
      yield {
        objects: segment.blobItems.map(
          ({ name, properties: { contentLength = 0, lastModified } }) => ({
            key: name,
            bytes: contentLength,
            modifiedAt: lastModified,
          }),
        ),
        more: continuationToken !== undefined && continuationToken !== "",
      };
    }
  }

  #removeBatch(keys: readonly string[], signal: AbortSignal): Promise<unknown> {
    return this.#ask(`remove ${keys.length} blobs`, signal, async (abortSignal) => {
      const batches = this.#client.getBlobBatchClient();
      const batch = batches.createBatch();
      for (const key of keys)
        await batch.deleteBlob(this.#client.getBlobClient(key).url, this.#parts.credential);
      try {
        const { subResponses } = await batches.submitBatch(batch, { abortSignal });
        const failed = subResponses.find(({ status }) => status >= 400 && status !== notFound);
        if (failed) throw new Error(`${failed.status} ${failed.statusMessage}`);
        return undefined;
      } catch (error) {
        if (lacksBatches.has(statusOf(error) ?? 0)) return error;
        throw error;
      }
    });
  }

  async #removeOne(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask(`remove ${key}`, signal, (abortSignal) =>
      this.#client.getBlobClient(key).deleteIfExists({ abortSignal }),
    );
  }

  close(): void {
    this.#parts.close();
  }
}

const blockBytes = 8_388_608;
const blocksAtOnce = 3;
/** Objects larger than a block are uploaded in blocks, and exist once the block list is written. */
const uploadOptions = {
  maxSingleShotSize: blockBytes,
  blockSize: blockBytes,
  concurrency: blocksAtOnce,
  blobHTTPHeaders: { blobContentType: "application/octet-stream" },
};
/** Responses to creating a blob that exists, or is being created by others. */
const isTaken: ReadonlySet<number> = new Set([409, 412]);
const pageKeys = 5_000;
const notFound = 404;
/** Responses of services without batch removal. */
const lacksBatches: ReadonlySet<number> = new Set([400, 405, 501]);
const ended = { done: true, value: undefined } as const;

const statusOf = (error: unknown): number | undefined =>
  (error as Sdk.RestError | undefined)?.statusCode;

const codeOf = (error: unknown): string | undefined => (error as Sdk.RestError | undefined)?.code;
