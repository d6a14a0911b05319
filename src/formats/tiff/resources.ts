import { tileKeys } from "../fast-jpeg/tile-keys.ts";
import { defineResource } from "../resources.ts";
import { TiffKept } from "./structure/kept.ts";

/** What is remembered of the structure of TIFFs. */
export const tiffStructures = defineResource({
  create: ({ config }) =>
    new TiffKept(config.view(tileKeys)()["cache.server.structure.target_size"]),
});
