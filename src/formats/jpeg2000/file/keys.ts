import { defineKeys } from "../../../config/keys.ts";
import { decodingKeys } from "../../shared/keys.ts";

/** What is remembered of JPEG 2000 files, in each worker. */
export const jpeg2000Keys = defineKeys({
  ...decodingKeys,
  "cache.server.jpeg2000.index.target_size": {
    type: "bytes",
    default: null,
    share: "index",
    min: 1_048_576,
    doc: "How many bytes may be taken, in each worker, by what is remembered of where the parts of JPEG 2000 files are.",
  },
  "cache.server.jpeg2000.blocks.target_size": {
    type: "bytes",
    default: null,
    share: "blocks",
    doc: "How many bytes may be taken, in each worker, by decoded blocks of JPEG 2000 files, which neighbouring tiles share; 0 for none.",
    restart: true,
  },
  "cache.server.jpeg2000.pixels.target_size": {
    type: "bytes",
    default: null,
    share: "pixels",
    doc: "How many bytes may be taken, in each worker, by decoded pixels of JPEG 2000 files, of regions of up to 1,048,576 pixels of a resolution that are asked for again or are not for one small JPEG: what shows the same once more, in whatever size or format, is not decoded anew. 0 for none.",
    restart: true,
  },
});
