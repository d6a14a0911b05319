import { defineKeys } from "../../config/keys.ts";

/** Keys of stored tiles and fast JPEGs. */
export const tileKeys = defineKeys({
  "processor.whole_files": {
    type: "choice",
    choices: ["bare", "unchanged"],
    default: "bare",
    cantaloupe: "unchanged",
    doc: "How a whole image in the format and size of its file, with nothing done to it, is served: `bare`, upright and without Exif, XMP, comments and other extra data; `unchanged`, like Cantaloupe, as the file's own bytes with all that is in them, such as the place where a photo was taken (JPEG, PNG, GIF, TIFF and WebP files of up to 64 MB; the first page only).",
  },
  "processor.stored_tiles": {
    type: "boolean",
    default: true,
    doc: "Whether a tile that is stored exactly as requested (JPEG or WebP in a TIFF) is served without decoding it: many times faster, and without loss. It then has its stored quality, and encoding settings have no effect on it. JPEG tiles at the edges of a level, which are stored with padding, are cropped without decoding them, unless they are progressive, have restart markers or are larger than 256 KB. The same goes for whole JPEG, PNG and WebP files of up to 16 MB requested in their own format and size; Exif, XMP, comments and other extra data are removed unless processor.metadata.preserve writes them.",
  },
  "processor.direct_tiles": {
    type: "boolean",
    default: true,
    doc: "Whether plain images made of TIFF tiles (8 bits, grey or RGB, at a stored scale or reduced, of up to eight million stored pixels), and plain tiles of up to four million pixels of any other image, are encoded as JPEG by libjpeg-turbo, several times faster than by libvips, where the package @julusian/jpeg-turbo is installed. Images of more than one tile of 256 are encoded in threads. They have the quantisation table of the JPEG standard, whatever processor.jpg.quantisation_table says.",
  },
  "cache.server.tiles.target_size": {
    type: "bytes",
    default: null,
    share: "tiles",
    doc: "Memory in each worker, in bytes, for decoded tiles of the small levels of TIFF pyramids (up to sixteen tiles), which thumbnails are made of. 0 for none.",
    restart: true,
  },
  "cache.server.structure.target_size": {
    type: "bytes",
    default: null,
    share: "structure",
    min: 1_048_576,
    doc: "Memory in each worker, in bytes, for the structure of TIFFs: directories, lists of tiles, tables and profiles.",
    restart: true,
  },
});
