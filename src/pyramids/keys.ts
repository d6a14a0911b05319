import { defineKeys } from "../config/keys.ts";

/** Maximum milliseconds for which closing and purging wait for aborted jobs. */
export const maxClosingMs = 5_000;

/** Keys of the pyramids that the server makes of images that are slow to zoom. */
export const pyramidKeys = defineKeys({
  "pyramids.enabled": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether images that are slow to zoom, such as large JPEGs, PNGs and striped TIFFs, get a tiled pyramid, made once in the background and used for later requests.",
    restart: true,
  },
  "pyramids.folder": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "The folder of the pyramids; servers may share one. Blank: `vitrine/pyramids` in the user's cache folder (XDG_CACHE_HOME, or `.cache` in HOME).",
    restart: true,
  },
  "pyramids.max_size": {
    type: "bytes",
    default: 20 * 2 ** 30,
    min: 0,
    doc: "Maximum size in bytes of all pyramids; the least recently used are deleted first. An image whose pyramid could exceed a quarter of it gets none.",
  },
  "pyramids.ttl_seconds": {
    type: "seconds",
    default: 0,
    min: 0,
    doc: "Seconds after which an unused pyramid is deleted; 0 for never.",
  },
  "pyramids.min_pixels": {
    type: "integer",
    default: 8_000_000,
    min: 1,
    doc: "Minimum number of pixels of an image that gets a pyramid.",
  },
  "pyramids.jobs": {
    type: "integer",
    default: 1,
    min: 1,
    max: 16,
    doc: "Maximum number of pyramids that a server makes at the same time, each in a process of its own with the priority `pyramids.niceness`. Their memory is in addition to the server's.",
    restart: true,
  },
  "pyramids.job_memory": {
    type: "bytes",
    default: 2 ** 30,
    min: 256 * 2 ** 20,
    doc: "Maximum memory of a process that makes a pyramid, in bytes (Linux). An image that needs more gets none.",
  },
  "pyramids.max_download": {
    type: "bytes",
    default: 2 * 2 ** 30,
    min: 0,
    doc: "Maximum size in bytes of a remote image's file that is downloaded into `pyramids.folder` for its pyramid, and deleted afterwards. Larger ones get a pyramid only if requests have cached a copy (`cache.server.source`).",
  },
  "pyramids.niceness": {
    type: "integer",
    default: 15,
    min: 0,
    max: 19,
    doc: "The nice value of processes that make pyramids, from 0 to 19 (the lowest priority). Keep it above `processor.niceness`, so that images are rendered first. With 19, a busy server may take minutes to make a pyramid that would reduce its load.",
  },
  "pyramids.timeout": {
    type: "seconds",
    default: 1_800,
    min: 10,
    max: 86_400,
    doc: "Maximum seconds for making one pyramid.",
  },
  "pyramids.encoding": {
    type: "choice",
    choices: ["auto", "jpeg", "webp", "deflate"],
    default: "auto",
    doc: "How the tiles of new pyramids are encoded. `auto`: JPEG for images that are lossy already, else `deflate`, which is lossless. `jpeg` (images with 8 bits and without transparency) and `webp` (colour images with 8 bits) are lossy; images that they cannot represent are stored as with `auto`.",
  },
  "pyramids.quality": {
    type: "integer",
    default: 88,
    min: 1,
    max: 100,
    doc: "Quality of pyramids in JPEG and WebP. The quality of reduced levels is 4 to 8 higher, because compression loses more of their detail. Below 90, JPEG stores colours at half resolution; images with colours at full resolution get at least 92. JPEG tiles of images that get such a pyramid are sent in its quality from the start. Pyramids in `deflate` are lossless.",
  },
});
