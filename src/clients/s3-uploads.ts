import type * as Sdk from "@aws-sdk/client-s3";
import type { Ask } from "./calls.ts";
import { inParts, type ObjectHeaders, type StaleUploads } from "./objects.ts";
import { headerFields, isGone, notImplemented, type S3Place, statusOf } from "./s3-request.ts";

/** Maximum size of objects stored by one request; larger ones are stored in parts of it. */
export const partBytes = 8_388_608;
/** Maximum number of parts of one object in flight. */
const partsAtOnce = 3;
/** Time limit of beginning a multipart upload in milliseconds. */
const beginMs = 10_000;
/** Time limit of aborting an upload: its signal has often aborted by then. */
const giveUpMs = 10_000;

/** The bytes of an object to store. */
export interface PartedBytes {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** Exactly `length` bytes from an offset. */
  readonly part: (offset: number, length: number) => Promise<Uint8Array>;
  readonly headers: ObjectHeaders;
}

/**
 * Stores an object in parts, whole or not at all.
 *
 * Not by `@aws-sdk/lib-storage`: its `done()` rejects as soon as the signal aborts and aborts the
 * upload afterwards, so a client that is closed then leaves the parts in the bucket. It would also
 * be a second package to install, at exactly the version of the first.
 */
export const uploadInParts = async (
  { sdk, client, bucket }: S3Place,
  { key, size, part: partAt, headers }: PartedBytes,
  abortSignal: AbortSignal,
): Promise<void> => {
  const object = { Bucket: bucket, Key: key };
  const begin = new sdk.CreateMultipartUploadCommand({ ...object, ...headerFields(headers) });
  // Leaving now would leave an upload behind whose id nobody knows.
  const { UploadId } = await client.send(begin, { abortSignal: AbortSignal.timeout(beginMs) });
  try {
    abortSignal.throwIfAborted();
    const count = Math.ceil(size / partBytes);
    const tags: string[] = new Array(count);
    const numbers = Array.from({ length: count }, (_, n) => n + 1);
    await inParts(numbers, { size: 1, concurrency: partsAtOnce }, async ([PartNumber = 1]) => {
      const offset = (PartNumber - 1) * partBytes;
      const Body = await partAt(offset, Math.min(partBytes, size - offset));
      const part = new sdk.UploadPartCommand({ ...object, UploadId, PartNumber, Body });
      tags[PartNumber - 1] = (await client.send(part, { abortSignal })).ETag ?? "";
    });
    const Parts = numbers.map((PartNumber) => ({ PartNumber, ETag: tags[PartNumber - 1] }));
    const whole = { ...object, UploadId, MultipartUpload: { Parts } };
    await client.send(new sdk.CompleteMultipartUploadCommand(whole), { abortSignal });
  } catch (error) {
    await client
      .send(new sdk.AbortMultipartUploadCommand({ ...object, UploadId }), {
        abortSignal: AbortSignal.timeout(giveUpMs),
      })
      // A sweep removes what remains of it; the reason of the failed upload is what counts.
      .catch(() => {});
    throw error;
  }
};

/** Aborts unfinished multipart uploads that began before a time. */
export const abortStaleUploads = async (
  place: S3Place,
  { ask, stale }: { readonly ask: Ask; readonly stale: StaleUploads },
  signal: AbortSignal,
): Promise<void> => {
  const { sdk, client, bucket } = place;
  const { prefix, before, ours } = stale;
  for await (const uploads of uploadsIn(place, { ask, prefix }, signal))
    for (const { Key = "", UploadId, Initiated } of uploads) {
      if (!ours(Key) || Initiated === undefined || Initiated >= before) continue;
      await ask(`give up the upload of ${Key}`, signal, async (abortSignal) => {
        const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
        try {
          await client.send(command, { abortSignal });
        } catch (error) {
          if (!isGone(error)) throw error;
        }
      });
    }
};

async function* uploadsIn(
  { sdk, client, bucket }: S3Place,
  { ask, prefix }: { readonly ask: Ask; readonly prefix: string },
  signal: AbortSignal,
): AsyncGenerator<Sdk.MultipartUpload[]> {
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined;
  do {
    const command = new sdk.ListMultipartUploadsCommand({
      Bucket: bucket,
      Prefix: prefix,
      ...marker,
    });
    const page = await ask(
      "list unfinished uploads",
      signal,
      async (abortSignal): Promise<Partial<Sdk.ListMultipartUploadsCommandOutput>> => {
        try {
          return await client.send(command, { abortSignal });
        } catch (error) {
          // A service that does not list them has to discard them itself.
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
