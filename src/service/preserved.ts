import { LRUCache } from "lru-cache";
import { type EmbeddedBlocks, preservedBlocks } from "../formats/write/embedding/index.ts";
import type { PlanTools } from "../render/tools.ts";
import type { KnownImage } from "./known.ts";

/** Maximum bytes of cached metadata, and the overhead of each entry. */
const maxBytes = 8_388_608;
const overhead = 1_024;

/** Caches, within a bound, the metadata of images that goes into derivatives. */
export const createPreserved = (): ((
  identifier: string,
  image: KnownImage,
) => NonNullable<PlanTools["preserved"]>) => {
  const known = new LRUCache<string, EmbeddedBlocks>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
  });
  return (identifier, { version, info }) => {
    const key = `${identifier}\0${version}`;
    return {
      kept: known.get(key),
      async read(reader, signal) {
        const blocks = known.get(key) ?? (await preservedBlocks(reader, info, signal));
        known.set(key, blocks);
        return blocks;
      },
    };
  };
};

/** Approximate memory of blocks. */
const bytesOf = ({ exif, iptc, xmp = "" }: EmbeddedBlocks): number => {
  const fields = exif ? [...exif.image, ...exif.exif, ...exif.gps] : [];
  const inFields = fields.reduce((sum, { bytes }) => sum + bytes.length + 256, 0);
  return overhead + inFields + (iptc?.length ?? 0) + 2 * xmp.length;
};
