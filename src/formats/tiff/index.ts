import { isTiff } from "../containers/signatures.ts";
import { decodedTiles, tileThreads } from "../fast-jpeg/resources.ts";
import type { Format } from "../format.ts";
import { decodingKeys } from "../shared/decoding-keys.ts";
import { ours } from "../shared/means.ts";
import { encoders } from "../write/encode.ts";
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
  metadata: async () => (await import("../metadata/tiff.ts")).scanTiff,
};
