import { LRUCache } from "lru-cache";
import { type EmbeddedBlocks, preservedBlocks } from "../formats/write/embedding/index.ts";
import type { PlanTools } from "../render/tools.ts";
import type { KnownImage } from "./known.ts";

/** Bytes that remembered metadata may take together, and what each takes besides its own. */
const maxBytes = 8_388_608;
const overhead = 1_024;

/** Remembers, within a bound, what of images' metadata goes into images of them. */
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

/** About how much memory blocks take. */
const bytesOf = ({ exif, iptc, xmp = "" }: EmbeddedBlocks): number => {
  const fields = exif ? [...exif.image, ...exif.exif, ...exif.gps] : [];
  const inFields = fields.reduce((sum, { bytes }) => sum + bytes.length + 256, 0);
  return overhead + inFields + (iptc?.length ?? 0) + 2 * xmp.length;
};
