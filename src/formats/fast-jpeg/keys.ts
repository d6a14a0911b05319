import { defineKeys } from "../../config/keys.ts";

/** How tiles are served that need little or no drawing. */
export const tileKeys = defineKeys({
  "processor.whole_files": {
    type: "choice",
    choices: ["bare", "unchanged"],
    default: "bare",
    cantaloupe: "unchanged",
    doc: "How a whole picture is served that is asked for in the format and size of its file, with nothing done to it: `bare`, without Exif, XMP, comments and whatever else is not the picture, turned upright; `unchanged`, as Cantaloupe does, with the file's own bytes and all that is in them, such as the place where a photo was taken (JPEG, PNG, GIF, TIFF and WebP files of up to 64 MB; the first page only).",
  },
  "processor.stored_tiles": {
    type: "boolean",
    default: true,
    doc: "Whether a tile that is stored just as it is asked for (JPEG or WebP in a TIFF) is served without drawing it anew: many times faster, and without loss. It then has the quality it was stored with, and the encoding settings have no effect on it. So is a whole JPEG, PNG or WebP file of up to 16 MB that is asked for in its own format and size; Exif, XMP, comments and whatever else is not the picture stay behind, unless processor.metadata.preserve writes them anew.",
  },
  "processor.direct_tiles": {
    type: "boolean",
    default: true,
    doc: "Whether plain pictures made of the tiles of TIFFs (8 bits, grey or RGB, at a stored scale or reduced, of up to eight million stored pixels) become JPEGs by libjpeg-turbo, those of more than one tile of 256 in threads of their own, several times faster than by libvips, where the package @julusian/jpeg-turbo is installed. Such pictures have the quantisation table of the JPEG standard, whatever processor.jpg.quantisation_table says.",
  },
  "cache.server.tiles.target_size": {
    type: "bytes",
    default: null,
    share: "tiles",
    doc: "How many bytes may be taken, in each worker, by the decoded tiles of the small levels of TIFF pyramids, those of up to sixteen tiles, of which thumbnails are made: the next thumbnail of the same picture, of whatever size, needs them again. 0 for none.",
    restart: true,
  },
  "cache.server.structure.target_size": {
    type: "bytes",
    default: null,
    share: "structure",
    min: 1_048_576,
    doc: "How many bytes may be taken, in each worker, by what is remembered of the structure of TIFFs: directories, lists of tiles, tables and profiles.",
    restart: true,
  },
});
