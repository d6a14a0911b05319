import { isTiff } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { ours } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

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
  losses: "none",
  createDecoder: async (resources) => {
    const { tileThreads, decodedTiles } = await import("../fast-jpeg/index.ts");
    const { tiffStructures } = await import("./resources.ts");
    const { createTiffDecoder } = await import("./decoder.ts");
    const { loadJpegCropper } = await import("../jpeg-crop/index.ts");
    return createTiffDecoder(resources.config.view(decodingKeys), {
      kept: resources.get(tiffStructures),
      threads: resources.get(tileThreads),
      decoded: resources.get(decodedTiles),
      cropper: await loadJpegCropper(),
    });
  },
  encoder: encoders.tif,
  metadata: async () => (await import("../metadata/index.ts")).scanTiff,
};
