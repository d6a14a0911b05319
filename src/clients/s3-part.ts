import { addAbortSignal, type Readable } from "node:stream";
import type { KeyPage, KeyPageOptions } from "./key-page.ts";
import { type FetchedPart, factsOf, type PartWanted, rangeHeader } from "./part.ts";
import type { S3Client } from "./s3-client.ts";

/** An object of a bucket. */
export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Fetches an object or a range of it, by one request for each attempt the client makes. Rethrows
 * the library's errors, and the signal's reason.
 */
export const fetchS3Part = async (
  { sdk, client }: S3Client,
  { bucket, key }: S3Object,
  { range, etag, signal }: PartWanted & { readonly signal: AbortSignal },
): Promise<FetchedPart> => {
  const command = new sdk.GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ...(range === undefined ? {} : { Range: rangeHeader(range) }),
    ...(etag === undefined ? {} : { IfMatch: etag }),
  });
  const sent = await client.send(command, { abortSignal: signal });
  return {
    ...factsOf({
      range: sent.ContentRange,
      length: sent.ContentLength,
      etag: sent.ETag,
      lastModified: sent.LastModified,
      contentType: sent.ContentType,
    }),
    body: addAbortSignal(signal, sent.Body as Readable),
  };
};

/** Whether there is any object with a key prefix. Rethrows the library's errors. */
export const hasS3Objects = async (
  { sdk, client }: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  abortSignal: AbortSignal,
): Promise<boolean> => {
  const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
  const { Contents = [] } = await client.send(command, { abortSignal });
  return Contents.length > 0;
};

/**
 * Lists the keys directly below a prefix, with one request per attempt of the client. Rethrows the
 * library's errors and the signal's reason.
 */
export const listS3Keys = async (
  { sdk, client }: S3Client,
  bucket: string,
  { prefix, after, max, signal: abortSignal }: KeyPageOptions,
): Promise<KeyPage> => {
  const command = new sdk.ListObjectsV2Command({
    Bucket: bucket,
    Prefix: prefix,
    Delimiter: "/",
    MaxKeys: max,
    ...(after === undefined ? {} : { ContinuationToken: after }),
  });
  const page = await client.send(command, { abortSignal });
  const next = page.IsTruncated ? page.NextContinuationToken : undefined;
  return {
    prefixes: (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => Prefix),
    keys: (page.Contents ?? []).map(({ Key = "", Size, LastModified }) => ({
      key: Key,
      ...(Size === undefined ? {} : { size: Size }),
      ...(LastModified ? { lastModified: LastModified } : {}),
    })),
    ...(next ? { next } : {}),
  };
};
