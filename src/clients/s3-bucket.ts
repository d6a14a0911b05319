import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { wholeBody } from "./body.ts";
import { type Ask, callPlace } from "./calls.ts";
import {
  type FetchedObject,
  type FileObjects,
  type ListedPage,
  maxObjectBytes,
  type ObjectHeaders,
  type Objects,
  type StaleUploads,
  type WebObjects,
} from "./objects.ts";
import { removal } from "./removal.ts";
import {
  contentType,
  headerFields,
  isGone,
  notImplemented,
  type S3Place,
  statusOf,
} from "./s3-request.ts";
import { abortStaleUploads, partBytes, uploadInParts } from "./s3-uploads.ts";

/** Maximum number of objects that one request may remove. */
const batchKeys = 1_000;
const concurrentBatches = 4;
const preconditionFailed = 412;
/** Responses to creating an object that exists, or is being created by others. */
const isTaken: ReadonlySet<number> = new Set([409, preconditionFailed]);
/** Responses of services without batch removal, or that want an older checksum with it. */
const lacksBatches: ReadonlySet<number> = new Set([400, 405, 411, notImplemented]);

/** The objects of a bucket. */
export class Bucket implements FileObjects, WebObjects {
  readonly #place: S3Place;
  readonly #ask: Ask;
  readonly remove: Objects["remove"];
  /** Set once a copy of an object onto itself is known to update its modification time. */
  #copiesRenew = false;

  /** `purpose` begins messages. */
  constructor(place: S3Place, purpose: string) {
    this.#place = place;
    this.#ask = callPlace(`${purpose} expected the bucket ${place.bucket}`);
    this.remove = removal({
      batchKeys,
      concurrentBatches,
      one: (key, signal) => this.#removeOne(key, signal),
      batch: (keys, signal) => this.#removeBatch(keys, signal),
    });
  }

  get(key: string, signal: AbortSignal): Promise<FetchedObject | undefined> {
    const { sdk, client, bucket } = this.#place;
    return this.#ask(`read ${key}`, signal, async (abortSignal) => {
      try {
        const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key });
        const { Body, LastModified } = await client.send(command, { abortSignal });
        const bytes = await wholeBody(Body as Readable, { max: maxObjectBytes, signal });
        return bytes && { bytes, modifiedAt: LastModified ?? new Date() };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    });
  }

  async put(
    key: string,
    bytes: Uint8Array,
    signal: AbortSignal,
    headers: ObjectHeaders = { contentType },
  ): Promise<void> {
    const { sdk, client, bucket } = this.#place;
    await this.#ask(`write ${key}`, signal, async (abortSignal) => {
      if (bytes.byteLength > partBytes) {
        const part = async (offset: number, length: number): Promise<Uint8Array> =>
          bytes.subarray(offset, offset + length);
        const size = bytes.byteLength;
        return uploadInParts(this.#place, { key, size, part, headers }, abortSignal);
      }
      const object = { Bucket: bucket, Key: key, ...headerFields(headers), Body: bytes };
      await client.send(new sdk.PutObjectCommand(object), { abortSignal });
    });
  }

  has(key: string, signal: AbortSignal): Promise<boolean> {
    const { sdk, client, bucket } = this.#place;
    return this.#ask(`look for ${key}`, signal, async (abortSignal) => {
      try {
        const command = new sdk.HeadObjectCommand({ Bucket: bucket, Key: key });
        const { ContentLength = 0 } = await client.send(command, { abortSignal });
        return ContentLength > 0;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    });
  }

  async putFile(key: string, path: string, signal: AbortSignal): Promise<void> {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const part = async (offset: number, length: number): Promise<Uint8Array> =>
        (await file.read(Buffer.allocUnsafe(length), 0, length, offset)).buffer;
      if (size <= partBytes) return await this.put(key, await part(0, size), signal);
      await this.#ask(`write ${key}`, signal, (abortSignal) =>
        uploadInParts(this.#place, { key, size, part, headers: { contentType } }, abortSignal),
      );
    } finally {
      await file.close();
    }
  }

  create(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
    const { sdk, client, bucket } = this.#place;
    return this.#ask(`create ${key}`, signal, async (abortSignal) => {
      const object = { Bucket: bucket, Key: key, ContentType: contentType, Body: bytes };
      const command = new sdk.PutObjectCommand({ ...object, IfNoneMatch: "*" });
      try {
        await client.send(command, { abortSignal });
        return true;
      } catch (error) {
        if (isTaken.has(statusOf(error) ?? 0)) return false;
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

  /**
   * As `touch`, until it is known that copying suffices: some services only record new metadata.
   */
  async #renew(key: string, abortSignal: AbortSignal): Promise<void> {
    const { sdk, client, bucket } = this.#place;
    const object = { Bucket: bucket, Key: key };
    const before = await client.send(new sdk.HeadObjectCommand(object), { abortSignal });
    const copied = await this.#copyOntoItself(key, abortSignal);
    if (inSeconds(copied) > inSeconds(before.LastModified)) {
      this.#copiesRenew = true;
      return;
    }
    const { Body, ETag } = await client.send(new sdk.GetObjectCommand(object), { abortSignal });
    const bytes = await wholeBody(Body as Readable, { max: maxObjectBytes, signal: abortSignal });
    if (bytes === undefined) return;
    // Objects removed or replaced meanwhile stay so.
    const again = { ...object, Body: bytes, IfMatch: ETag, ContentType: contentType };
    await client.send(new sdk.PutObjectCommand(again), { abortSignal });
  }

  async #copyOntoItself(key: string, abortSignal: AbortSignal): Promise<Date | undefined> {
    const { sdk, client, bucket } = this.#place;
    const command = new sdk.CopyObjectCommand({
      Bucket: bucket,
      Key: key,
      CopySource: `${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`,
      // Without it, a copy onto itself is refused.
      MetadataDirective: "REPLACE",
      ContentType: contentType,
    });
    return (await client.send(command, { abortSignal })).CopyObjectResult?.LastModified;
  }

  async *list(prefix: string, signal: AbortSignal, after?: string): AsyncGenerator<ListedPage> {
    const { sdk, client, bucket } = this.#place;
    let token: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ContinuationToken: token,
        ...(token === undefined && after ? { StartAfter: after } : {}),
      });
      const page = await this.#ask(`list ${prefix}`, signal, (abortSignal) =>
        client.send(command, { abortSignal }),
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

  giveUpUploads(stale: StaleUploads, signal: AbortSignal): Promise<void> {
    return abortStaleUploads(this.#place, { ask: this.#ask, stale }, signal);
  }

  close(): void {
    this.#place.client.destroy();
  }

  #removeBatch(keys: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { sdk, client, bucket } = this.#place;
    const command = new sdk.DeleteObjectsCommand({
      Bucket: bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    return this.#ask(`remove ${keys.length} objects`, signal, async (abortSignal) => {
      try {
        const { Errors = [] } = await client.send(command, { abortSignal });
        const failed = Errors.find(({ Code }) => Code !== "NoSuchKey");
        if (failed) throw new Error(`${failed.Key}: ${failed.Code}: ${failed.Message}`);
        return undefined;
      } catch (error) {
        if (lacksBatches.has(statusOf(error) ?? 0)) return error;
        throw error;
      }
    });
  }

  async #removeOne(key: string, signal: AbortSignal): Promise<void> {
    const { sdk, client, bucket } = this.#place;
    await this.#ask(`remove ${key}`, signal, async (abortSignal) => {
      const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key });
      try {
        await client.send(command, { abortSignal });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    });
  }
}

const inSeconds = (time: Date | undefined): number => Math.floor((time?.getTime() ?? 0) / 1_000);
