import { isTiff } from "../containers/index.ts";
import { decodedTiles, tileThreads } from "../fast-jpeg/index.ts";
import type { Format } from "../record/index.ts";
import { decodingKeys, ours } from "../shared/index.ts";
import { encoders } from "../write/index.ts";
import { tiffStructures } from "./resources.ts";

/** TIFF and BigTIFF. */
export const tiff: Format = {
  name: "tif",
  facts: {
    name: "TIFF",
    extensions: ["tif", "tiff", "ptif"],
    mediaTypes: ["image/tiff"],
    alpha: true,
    maxSide: 10_000_000,
  },
  signature: { matches: isTiff },
  reader: ours,
  createDecoder: async (resources) => {
    const { createTiffDecoder } = await import("./decoder.ts");
    return createTiffDecoder(resources.config.view(decodingKeys), {
      kept: resources.get(tiffStructures),
      threads: resources.get(tileThreads),
      decoded: resources.get(decodedTiles),
    });
  },
  encoder: encoders.tif,
  metadata: async () => (await import("../metadata/index.ts")).scanTiff,
};
