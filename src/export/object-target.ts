import type { WebObjects } from "../clients/objects.ts";
import type { ExportTarget } from "./target.ts";

/** How objects of an export are stored. */
export interface ObjectTargetOptions {
  /** `s3://bucket/prefix`, for messages. */
  readonly place: string;
  /** Of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The Cache-Control of derivatives. */
  readonly cacheControl: string;
}

/** The Cache-Control of documents, which are replaced under the same name. */
const revised = "no-cache";

/** Exports to the objects of a bucket. */
export const openObjectTarget = (
  objects: WebObjects,
  { place, prefix, cacheControl }: ObjectTargetOptions,
): ExportTarget => ({
  place,
  read: async (path, signal) => (await objects.get(prefix + path, signal))?.bytes,
  has: (path, signal) => objects.has(prefix + path, signal),
  async write(paths, { bytes, mediaType, isRevised }, signal) {
    const headers = { contentType: mediaType, cacheControl: isRevised ? revised : cacheControl };
    for (const path of paths) await objects.put(prefix + path, bytes, signal, headers);
  },
  remove: (paths, signal) =>
    objects.remove(
      paths.map((path) => prefix + path),
      signal,
    ),
  close: async () => objects.close(),
});
