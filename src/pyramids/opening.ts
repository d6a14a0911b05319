import {
  type ByteRange,
  type RangeReader,
  SourceChanged,
  useReader,
} from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";
import type { Decoder } from "../formats/shared/index.ts";
import type { KnownImage } from "../service/known.ts";
import type { StoredPyramid } from "./store.ts";

/** Reads the structure of a stored pyramid, which replaces a page of this version of an image. */
export const openPyramid = async (
  { object }: StoredPyramid,
  { version, lastModified }: Pick<KnownImage, "version" | "lastModified">,
  { decoder, signal }: { readonly decoder: Decoder; readonly signal: AbortSignal },
): Promise<KnownImage> => {
  const guarded = guardedObject(object);
  const info = await useReader(await guarded.open(signal), (reader) =>
    decoder.info(reader, signal),
  );
  return { info, object: guarded, version, ...(lastModified && { lastModified }) };
};

/**
 * A pyramid that was evicted or cannot be reached counts as changed, so that the request is served
 * without it. Pyramids are never changed in place, so readers need not check for that.
 */
const guardedObject = (object: SourceObject): SourceObject => ({
  ...object,
  open: async (signal) => guardedReader(await object.open(signal), object.place),
});

const guardedReader = (reader: RangeReader, place: string | undefined): RangeReader => {
  const guard = async <T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof SourceChanged ? error : new SourceChanged(error);
    }
  };
  const { size, isFar, readMany, prefetch } = reader;
  return {
    size,
    ...(isFar && { isFar }),
    // Only local files can be opened by their path.
    ...(reader.path !== undefined && place !== undefined && { path: place }),
    stream: (signal) => reader.stream(signal),
    close: () => reader.close(),
    read: (offset, length, signal, into) =>
      guard(signal, () => reader.read(offset, length, signal, into)),
    ...(readMany && {
      readMany: (ranges: readonly ByteRange[], signal: AbortSignal) =>
        guard(signal, () => readMany(ranges, signal)),
    }),
    ...(prefetch && {
      prefetch: (ranges: readonly ByteRange[], signal: AbortSignal) =>
        guard(signal, () => prefetch(ranges, signal)),
    }),
  };
};
