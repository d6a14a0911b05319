import { LRUCache } from "lru-cache";
import { useReader } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { readMetadataHash } from "../formats/embedded-metadata.ts";
import type { MetadataHash, MetadataReaders } from "../formats/metadata/index.ts";
import type { KnownImage } from "./known.ts";

/** Embedded metadata of images, for delegates. */
export interface Embedded {
  /**
   * The embedded metadata of an image: the same object while the image is unchanged and cached;
   * synchronous where cached. Throws what reading the image throws; damaged parts are skipped.
   */
  of(
    identifier: string,
    image: KnownImage,
    signal: AbortSignal,
  ): MetadataHash | Promise<MetadataHash>;
}

/** Maximum bytes of cached metadata, and the overhead of each entry. */
const maxBytes = 8_388_608;
const overhead = 512;

/**
 * Reads metadata once for concurrent requests about the same image, and caches it within a bound.
 */
export const createEmbedded = (readers: MetadataReaders = {}): Embedded => {
  const known = new LRUCache<string, MetadataHash>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
  });
  const flights = new SingleFlight<MetadataHash>();
  const read = (
    key: string,
    { object, info }: KnownImage,
    signal: AbortSignal,
  ): Promise<MetadataHash> =>
    flights.run(key, signal, async (shared) => {
      const reader = await object.open(shared);
      const found = await useReader(reader, (opened) =>
        readMetadataHash(opened, info, shared, readers),
      );
      known.set(key, found);
      return found;
    });
  return {
    of(identifier, image, signal) {
      const key = `${identifier}\0${image.version}`;
      return known.get(key) ?? read(key, image, signal);
    },
  };
};

/** Approximate memory of a value; delegates get a copy, which takes as much again. */
const bytesOf = (value: unknown): number => 2 * sizeOf(value) + overhead;

const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return 2 * value.length + 16;
  if (ArrayBuffer.isView(value)) return value.byteLength + 64;
  if (typeof value !== "object" || value === null) return 8;
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + 2 * name.length + sizeOf(one) + 32,
    64,
  );
};
