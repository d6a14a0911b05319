import { defineKeys } from "../config/keys.ts";

/** Maximum milliseconds that closing and purging wait for jobs, which are given up. */
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
    doc: "The folder of the pyramids; servers may share one. Blank: `vitrine/pyramids` in the user's folder for caches (XDG_CACHE_HOME, or `.cache` in HOME).",
    restart: true,
  },
  "pyramids.max_size": {
    type: "bytes",
    default: 20 * 2 ** 30,
    min: 0,
    doc: "Maximum size in bytes of all pyramids; the least recently used are deleted first. An image whose pyramid could take more than a quarter of it gets none.",
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
    doc: "The fewest pixels of an image that gets a pyramid.",
  },
  "pyramids.jobs": {
    type: "integer",
    default: 1,
    min: 1,
    max: 16,
    doc: "Maximum number of pyramids that a server makes at a time, each in a process of the lowest priority. Their memory comes on top of the server's.",
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
    doc: "Maximum size in bytes of a remote image's file that is downloaded into `pyramids.folder` for its pyramid, and deleted afterwards. Larger ones get a pyramid only if there is a copy anyway (cache.server.source).",
  },
  "pyramids.niceness": {
    type: "integer",
    default: 10,
    min: 0,
    max: 19,
    doc: "The nice value of processes that make pyramids: 0 for the priority of requests, 19 for the lowest. With 19, a busy server may take minutes for a pyramid that would relieve it.",
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
    doc: "How the tiles of new pyramids are encoded. `auto`: JPEG for images that are lossy already, else `deflate`, without loss. `jpeg` and `webp` are lossy for all images of 8 bits: `jpeg` for those without transparency, `webp` for those in colour. What an encoding cannot hold is stored as with `auto`. `deflate` is without loss for all.",
  },
  "pyramids.quality": {
    type: "integer",
    default: 88,
    min: 1,
    max: 100,
    doc: "Quality of pyramids in JPEG and WebP. Below 90, JPEG stores colours at half resolution; images with colours at full resolution get at least 92. Pyramids in `deflate` are lossless.",
  },
});
