import { LRUCache } from "lru-cache";
import { useReader } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { readMetadataHash } from "../formats/embedded-metadata.ts";
import type { MetadataHash, MetadataReaders } from "../formats/metadata/index.ts";
import type { KnownImage } from "./known.ts";

/** Metadata embedded in images, for delegates. */
export interface Embedded {
  /**
   * What is embedded in an image: the same object as long as the image is the same and it is
   * remembered. At once where it is known. Throws what reading the image does; what is damaged is
   * left out.
   */
  of(
    identifier: string,
    image: KnownImage,
    signal: AbortSignal,
  ): MetadataHash | Promise<MetadataHash>;
}

/** Bytes that remembered metadata may take together, and what each takes besides its own. */
const maxBytes = 8_388_608;
const overhead = 512;

/** Reads metadata once for all who want that of the same image, and remembers it within a bound. */
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

/** About how much memory a value takes; delegates are given a copy, which takes as much again. */
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
