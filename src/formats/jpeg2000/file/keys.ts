import { defineKeys } from "../../../config/keys.ts";
import { decodingKeys } from "../../shared/keys.ts";

/** Keys of JPEG 2000 caches, in each worker. */
export const jpeg2000Keys = defineKeys({
  ...decodingKeys,
  "cache.server.jpeg2000.index.target_size": {
    type: "bytes",
    default: null,
    share: "index",
    min: 1_048_576,
    doc: "Memory in each worker, in bytes, for the index of where the parts of JPEG 2000 files are.",
  },
  "cache.server.jpeg2000.blocks.target_size": {
    type: "bytes",
    default: null,
    share: "blocks",
    doc: "Memory in each worker, in bytes, for decoded blocks of JPEG 2000 files, which neighbouring tiles share; 0 for none. Several workers share half of it, from 16 MiB on, where the optional package koffi is installed (Linux).",
    restart: true,
  },
  "cache.server.jpeg2000.pixels.target_size": {
    type: "bytes",
    default: null,
    share: "pixels",
    doc: "Memory in each worker, in bytes, for decoded pixels of JPEG 2000 files: regions of up to 1,048,576 pixels of a resolution that are requested again, or that are not for one small JPEG. The same region in another size or format is then not decoded again. 0 for none.",
    restart: true,
  },
});
