import { tileKeys } from "../fast-jpeg/keys.ts";
import { defineResource } from "../pool/index.ts";
import { TiffStructureCache } from "./structure/index.ts";

/** The cached structures of TIFFs. */
export const tiffStructures = defineResource({
  create: ({ config }) =>
    new TiffStructureCache(config.view(tileKeys)()["cache.server.structure.target_size"]),
});
