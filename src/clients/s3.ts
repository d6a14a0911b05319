import type { Readable } from "node:stream";
import type * as Sdk from "@aws-sdk/client-s3";
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
  type StaleUploads,
} from "./objects.ts";

/** Where a bucket is, and who asks. Blank is as good as absent. */
export interface S3Settings {
  /** An http(s) address of a service that is not Amazon's; its buckets are part of the path. */
  readonly endpoint: string;
  /** Where blank: what the environment or the profile says; us-east-1 where there is an endpoint. */
  readonly region: string;
  /** Where both are blank: what the environment, the profile or the machine's role says. */
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly bucket: string;
  /** What it is for, to begin messages with: `S3Cache`. */
  readonly purpose: string;
}

/** Objects up to this size are stored by one request, larger ones in parts of it. */
const partBytes = 8_388_608;
/** How many parts of one object are under way at once. */
const partsAtOnce = 3;
/** The most that one request may remove. */
const batchKeys = 1_000;
const singlesAtOnce = 16;
const mostConnections = 64;
const connectMs = 5_000;
/** After which a request of any kind is lost, in milliseconds. */
const requestMs = 60_000;
/** What beginning an upload in parts may take, in milliseconds. */
const beginMs = 10_000;
/** What giving an upload up may take: its signal has often ended by then. */
const giveUpMs = 10_000;
const attempts = 3;

/**
 * Objects of one bucket. Nothing is asked of the service yet. Throws `malformed` where a setting or
 * the client library is missing.
 */
export const openS3 = async (settings: S3Settings): Promise<Objects> => {
  const { bucket, purpose } = settings;
  if (bucket === "") return fail("malformed", `${purpose} needs a bucket; its name is blank.`);
  const sdk = await library("@aws-sdk/client-s3@3.1169.0", {
    load: () => import("@aws-sdk/client-s3"),
    purpose,
  });
  const client = new sdk.S3Client(await clientOptions(settings));
  try {
    await client.config.region();
  } catch (error) {
    client.destroy();
    return fail("malformed", `${purpose} needs a region; it is blank, and none is known.`, error);
  }
  return new Bucket(sdk, client, settings);
};

const clientOptions = async (settings: S3Settings): Promise<Sdk.S3ClientConfig> => {
  const { region, accessKeyId, secretKey, purpose } = settings;
  if ((accessKeyId === "") !== (secretKey === ""))
    fail("malformed", `${purpose} needs both access key id and secret key, or neither; got one.`);
  const endpoint = endpointOf(settings);
  return {
    // Services that are not Amazon's seldom know the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: mostConnections },
      httpsAgent: { keepAlive: true, maxSockets: mostConnections },
      logger: quiet,
    },
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(region !== "" ? { region } : endpoint ? { region: "us-east-1" } : {}),
    ...(accessKeyId === "" ? {} : { credentials: { accessKeyId, secretAccessKey: secretKey } }),
  };
};

/** The library would write to the console that many requests wait for a connection. */
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const endpointOf = ({ endpoint, purpose }: S3Settings): string | undefined => {
  if (endpoint === "") return undefined;
  const url = /^\w+:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`;
  return URL.canParse(url) && /^https?:/.test(url)
    ? url
    : fail("malformed", `${purpose} needs an http or https address as endpoint; got ${endpoint}.`);
};

class Bucket implements Objects {
  readonly #sdk: typeof Sdk;
  readonly #client: Sdk.S3Client;
  readonly #bucket: string;
  readonly #purpose: string;
  /** Set once a service turned out not to remove many objects by one request. */
  #singly = false;
  /** Set once a copy of an object onto itself turned out to count as a change. */
  #copiesRenew = false;

  constructor(sdk: typeof Sdk, client: Sdk.S3Client, { bucket, purpose }: S3Settings) {
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = bucket;
    this.#purpose = purpose;
  }

  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined> {
    const { GetObjectCommand } = this.#sdk;
    return this.#ask(`read ${key}`, signal, async (abortSignal) => {
      try {
        const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key });
        const { Body, LastModified } = await this.#client.send(command, { abortSignal });
        const bytes = await wholeBody(Body as Readable, { most: mostObjectBytes, signal });
        return bytes && { bytes, modifiedAt: LastModified ?? new Date() };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    });
  }

  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return bytes.byteLength > partBytes
      ? this.#putInParts(key, bytes, signal)
      : this.#ask(`write ${key}`, signal, async (abortSignal) => {
          const { PutObjectCommand } = this.#sdk;
          const object = { Bucket: this.#bucket, Key: key, ContentType: contentType };
          await this.#client.send(new PutObjectCommand({ ...object, Body: bytes }), {
            abortSignal,
          });
        });
  }

  async #putInParts(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const { CreateMultipartUploadCommand, UploadPartCommand } = this.#sdk;
    const { CompleteMultipartUploadCommand, AbortMultipartUploadCommand } = this.#sdk;
    const object = { Bucket: this.#bucket, Key: key };
    await this.#ask(`write ${key}`, signal, async (abortSignal) => {
      const begin = new CreateMultipartUploadCommand({ ...object, ContentType: contentType });
      // Whoever leaves now would leave an upload behind whose name nobody knows.
      const { UploadId } = await this.#client.send(begin, {
        abortSignal: AbortSignal.timeout(beginMs),
      });
      try {
        abortSignal.throwIfAborted();
        const count = Math.ceil(bytes.byteLength / partBytes);
        const tags: string[] = new Array(count);
        const numbers = Array.from({ length: count }, (_, n) => n + 1);
        await inParts(numbers, { size: 1, atOnce: partsAtOnce }, async ([PartNumber = 1]) => {
          const Body = bytes.subarray((PartNumber - 1) * partBytes, PartNumber * partBytes);
          const part = new UploadPartCommand({ ...object, UploadId, PartNumber, Body });
          tags[PartNumber - 1] = (await this.#client.send(part, { abortSignal })).ETag ?? "";
        });
        const Parts = numbers.map((PartNumber) => ({ PartNumber, ETag: tags[PartNumber - 1] }));
        await this.#client.send(
          new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
          { abortSignal },
        );
      } catch (error) {
        const giveUp = new AbortMultipartUploadCommand({ ...object, UploadId });
        await this.#client
          .send(giveUp, { abortSignal: AbortSignal.timeout(giveUpMs) })
          // What stays of it is given up by a sweep; why the upload failed is what counts.
          .catch(() => {});
        throw error;
      }
    });
  }

  async touch(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask(`renew ${key}`, signal, async (abortSignal) => {
      try {
        if (this.#copiesRenew) await this.#copyOntoItself(key, abortSignal);
        else await this.#renew(key, abortSignal);
      } catch (error) {
        if (!isGone(error) && statusOf(error) !== preconditionFailed) throw error;
      }
    });
  }

  /** As `touch`, for as long as it is not known that copying suffices: some services only note new metadata. */
  async #renew(key: string, abortSignal: AbortSignal): Promise<void> {
    const { HeadObjectCommand, GetObjectCommand, PutObjectCommand } = this.#sdk;
    const object = { Bucket: this.#bucket, Key: key };
    const before = await this.#client.send(new HeadObjectCommand(object), { abortSignal });
    const copied = await this.#copyOntoItself(key, abortSignal);
    if (inSeconds(copied) > inSeconds(before.LastModified)) {
      this.#copiesRenew = true;
      return;
    }
    const { Body, ETag } = await this.#client.send(new GetObjectCommand(object), { abortSignal });
    const bytes = await wholeBody(Body as Readable, { most: mostObjectBytes, signal: abortSignal });
    if (bytes === undefined) return;
    // What was removed or replaced meanwhile stays so.
    const again = { ...object, Body: bytes, IfMatch: ETag, ContentType: contentType };
    await this.#client.send(new PutObjectCommand(again), { abortSignal });
  }

  async #copyOntoItself(key: string, abortSignal: AbortSignal): Promise<Date | undefined> {
    const command = new this.#sdk.CopyObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      CopySource: `${this.#bucket}/${key.split("/").map(encodeURIComponent).join("/")}`,
      // Without it, a copy onto itself is refused.
      MetadataDirective: "REPLACE",
      ContentType: contentType,
    });
    return (await this.#client.send(command, { abortSignal })).CopyObjectResult?.LastModified;
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<ListedPage> {
    const { ListObjectsV2Command } = this.#sdk;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const page = await this.#ask(`list ${prefix}`, signal, (abortSignal) =>
        this.#client.send(command, { abortSignal }),
      );
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
      yield {
        objects: (page.Contents ?? []).map(({ Key = "", Size = 0, LastModified }) => ({
          key: Key,
          bytes: Size,
          modifiedAt: LastModified ?? new Date(),
        })),
        more: token !== undefined,
      };
    } while (token !== undefined);
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    for (let at = 0; at < keys.length; at += batchKeys) {
      const batch = keys.slice(at, at + batchKeys);
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) await this.#removeOne(only, signal);
      else if (this.#singly) await this.#removeSingly(batch, signal);
      else await this.#removeBatch(batch, signal);
    }
  }

  async #removeBatch(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { DeleteObjectsCommand } = this.#sdk;
    const command = new DeleteObjectsCommand({
      Bucket: this.#bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    const refused = await this.#ask(
      `remove ${keys.length} objects`,
      signal,
      async (abortSignal) => {
        try {
          const { Errors = [] } = await this.#client.send(command, { abortSignal });
          const failed = Errors.find(({ Code }) => Code !== "NoSuchKey");
          if (failed) throw new Error(`${failed.Key}: ${failed.Code}: ${failed.Message}`);
          return undefined;
        } catch (error) {
          if (lacksBatches.has(statusOf(error) ?? 0)) return error;
          throw error;
        }
      },
    );
    if (refused === undefined) return;
    // Where single requests fail as well, it was not for being many.
    await this.#removeSingly(keys, signal);
    this.#singly = true;
  }

  #removeSingly(keys: readonly string[], signal: AbortSignal): Promise<void> {
    return inParts(keys, { size: 1, atOnce: singlesAtOnce }, ([key = ""]) =>
      this.#removeOne(key, signal),
    );
  }

  async #removeOne(key: string, signal: AbortSignal): Promise<void> {
    const { DeleteObjectCommand } = this.#sdk;
    await this.#ask(`remove ${key}`, signal, async (abortSignal) => {
      const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key });
      try {
        await this.#client.send(command, { abortSignal });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    });
  }

  async giveUpUploads({ prefix, before, ours }: StaleUploads, signal: AbortSignal): Promise<void> {
    const { AbortMultipartUploadCommand } = this.#sdk;
    for await (const uploads of this.#uploads(prefix, signal))
      for (const { Key = "", UploadId, Initiated } of uploads) {
        if (!ours(Key) || Initiated === undefined || Initiated >= before) continue;
        await this.#ask(`give up the upload of ${Key}`, signal, async (abortSignal) => {
          const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId });
          try {
            await this.#client.send(command, { abortSignal });
          } catch (error) {
            if (!isGone(error)) throw error;
          }
        });
      }
  }

  async *#uploads(prefix: string, signal: AbortSignal): AsyncGenerator<Sdk.MultipartUpload[]> {
    const { ListMultipartUploadsCommand } = this.#sdk;
    let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined;
    do {
      const command = new ListMultipartUploadsCommand({
        Bucket: this.#bucket,
        Prefix: prefix,
        ...marker,
      });
      const page = await this.#ask(
        "list unfinished uploads",
        signal,
        async (abortSignal): Promise<Partial<Sdk.ListMultipartUploadsCommandOutput>> => {
          try {
            return await this.#client.send(command, { abortSignal });
          } catch (error) {
            // Who does not list them has to forget them by itself.
            if (statusOf(error) === notImplemented) return {};
            throw error;
          }
        },
      );
      yield page.Uploads ?? [];
      const { NextKeyMarker, NextUploadIdMarker } = page;
      marker = page.IsTruncated
        ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
        : undefined;
    } while (marker !== undefined);
  }

  close(): void {
    this.#client.destroy();
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
      const cause = lean(error);
      return fail(
        "upstream",
        `${this.#purpose} expected the bucket ${this.#bucket} to ${deed}; got ${cause.name}: ${cause.message}`,
        cause,
      );
    }
  }
}

const contentType = "application/octet-stream";
const preconditionFailed = 412;
const notImplemented = 501;
/** How services answer that cannot remove many objects at once, or want an older checksum with it. */
const lacksBatches: ReadonlySet<number> = new Set([400, 405, 411, notImplemented]);

const statusOf = (error: unknown): number | undefined =>
  (error as Sdk.S3ServiceException | undefined)?.$metadata?.httpStatusCode;

const inSeconds = (time: Date | undefined): number => Math.floor((time?.getTime() ?? 0) / 1_000);

/** Whether the object, or the upload, is not there; a bucket that is not there is another matter. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && ["NoSuchKey", "NotFound", "NoSuchUpload"].includes(error.name);
