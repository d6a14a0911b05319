import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Readable } from "node:stream";
import type * as Sdk from "@azure/storage-blob";
import { fail } from "../core/errors.ts";
import { wholeBody } from "./body.ts";
import { lean } from "./lean.ts";
import { library } from "./library.ts";
import {
  type FetchedObject,
  inParts,
  type ListedPage,
  mostObjectBytes,
  type Objects,
} from "./objects.ts";

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

/** The most that one request may remove. */
const batchKeys = 256;
const batchesAtOnce = 4;
const singlesAtOnce = 16;
const mostConnections = 64;
const attempts = 3;
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
  return new Container(client, { container, credential, purpose, close: () => agent.destroy() });
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
  return URL.canParse(url) && /^https?:/.test(url)
    ? url.replace(/\/+$/, "")
    : fail("malformed", `${purpose} needs an http or https address as endpoint; got ${endpoint}.`);
};

interface ContainerParts {
  readonly container: string;
  readonly credential: Sdk.StorageSharedKeyCredential;
  readonly purpose: string;
  readonly close: () => void;
}

class Container implements Objects {
  readonly #client: Sdk.ContainerClient;
  readonly #parts: ContainerParts;
  /** Set once a service turned out not to remove many blobs by one request. */
  #singly = false;

  constructor(client: Sdk.ContainerClient, parts: ContainerParts) {
    this.#client = client;
    this.#parts = parts;
  }

  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined> {
    return this.#ask(`read ${key}`, signal, async (abortSignal) => {
      try {
        const answer = await this.#client
          .getBlobClient(key)
          .download(0, undefined, { abortSignal, maxRetryRequests: attempts - 1 });
        const body = answer.readableStreamBody as Readable;
        const bytes = await wholeBody(body, { most: mostObjectBytes, signal });
        return bytes && { bytes, modifiedAt: answer.lastModified ?? new Date() };
      } catch (error) {
        if (statusOf(error) === notFound) return undefined;
        throw error;
      }
    });
  }

  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#ask(`write ${key}`, signal, async (abortSignal) => {
      const write = (): Promise<unknown> =>
        this.#client.getBlockBlobClient(key).uploadData(bytes, {
          abortSignal,
          // Larger ones go up in blocks, and are there once their list is written.
          maxSingleShotSize: blockBytes,
          blockSize: blockBytes,
          concurrency: blocksAtOnce,
          blobHTTPHeaders: { blobContentType: "application/octet-stream" },
        });
      try {
        await write();
      } catch (error) {
        if (codeOf(error) !== "ContainerNotFound") throw error;
        await this.#client.createIfNotExists({ abortSignal });
        await write();
      }
    });
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

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.#singly || keys.length === 1) return this.#removeSingly(keys, signal);
    await inParts(keys, { size: batchKeys, atOnce: batchesAtOnce }, (batch) =>
      this.#removeBatch(batch, signal),
    );
  }

  async #removeBatch(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const refused = await this.#ask(`remove ${keys.length} blobs`, signal, async (abortSignal) => {
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
    if (refused === undefined) return;
    // Where single requests fail as well, it was not for being many.
    await this.#removeSingly(keys, signal);
    this.#singly = true;
  }

  #removeSingly(keys: readonly string[], signal: AbortSignal): Promise<void> {
    return inParts(keys, { size: 1, atOnce: singlesAtOnce }, ([key = ""]) =>
      this.#ask(`remove ${key}`, signal, (abortSignal) =>
        this.#client.getBlobClient(key).deleteIfExists({ abortSignal }),
      ),
    );
  }

  close(): void {
    this.#parts.close();
  }

  /** Does what is asked for; what fails for the signal fails with its reason, all else as `upstream`. */
  async #ask<T>(
    deed: string,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    try {
      return await send(signal);
    } catch (error) {
      signal.throwIfAborted();
      const { container, purpose } = this.#parts;
      const cause = lean(error);
      return fail(
        "upstream",
        `${purpose} expected the container ${container} to ${deed}; got ${codeOf(error) ?? cause.message}`,
        cause,
      );
    }
  }
}

const blockBytes = 8_388_608;
const blocksAtOnce = 3;
const pageKeys = 5_000;
const notFound = 404;
/** How services answer that cannot remove many blobs at once. */
const lacksBatches: ReadonlySet<number> = new Set([400, 405, 501]);
const ended = { done: true, value: undefined } as const;

const statusOf = (error: unknown): number | undefined =>
  (error as Sdk.RestError | undefined)?.statusCode;

const codeOf = (error: unknown): string | undefined => (error as Sdk.RestError | undefined)?.code;
