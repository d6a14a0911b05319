import { defineKeys } from "../../config/keys.ts";
import { videoKeys } from "../video/keys.ts";

/** What bounds the reading of pictures. */
export const readingKeys = defineKeys({
  "processor.max_decoded_bytes": {
    type: "bytes",
    default: null,
    share: "decoded",
    min: 1_048_576,
    doc: "Most memory one picture may take once decoded, where its format has to be decoded whole (AVIF, HEIC, JPEG XL, WebP, GIF, interlaced PNG, progressive JPEG, TIFF in one large strip). Larger ones are refused.",
  },
  "processor.max_scanned_pixels": {
    type: "integer",
    default: 1_000_000_000,
    min: 1_000_000,
    doc: "Most pixels a picture may have whose format has no random access (JPEG, PNG), since any part of it means reading all that comes before. Pixels of more than four bytes, as in 16 bits with transparency, count twice. Larger pictures are refused; as pyramidal TIFF they are no trouble. Also the most pixels of a TIFF, BMP or DICOM picture that are read for one answer, a TIFF's by whole tiles and strips, and of all frames of an animation up to the one that is asked for; and the most pixels that a page of a PDF document may have at processor.dpi.",
  },
  "processor.timeout": {
    type: "integer",
    default: 30,
    min: 0,
    max: 3600,
    doc: "Longest time in seconds that decoding, drawing and encoding one picture may take; 0 for no limit.",
  },
  "processor.dpi": {
    type: "integer",
    default: 150,
    min: 1,
    max: 2_400,
    doc: "Pixels to the inch that a page of a PDF document has in full size. What is kept of documents was made for the resolution of its time: purge the caches after a change.",
  },
  "processor.pdf.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "Password with which PDF documents are opened that do not open without one; none where it is empty. Whoever may see the image then sees what the password guards. Once it is changed, documents that it opened are closed; what is in caches stays until it is purged. What was refused before is asked for anew once its info is forgotten.",
  },
  "cache.server.pdf.pages.target_size": {
    type: "bytes",
    default: null,
    share: "pages",
    doc: "How many bytes may be taken, in each worker, by pages of PDF documents that take long to draw, such as scans: they are drawn as a whole at the scale that is asked for, and their tiles cut from that. A page may take a quarter; 0 for none.",
    restart: true,
  },
  "processor.pdf.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "decoder",
    min: -1,
    doc: "Most memory that each of the threads that draw PDF documents may take, at least 64 MB; a document that needs more is refused. -1 for the most that is possible, 2 GB.",
  },
  "processor.pdf.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Longest time in seconds that opening a PDF document or drawing what is asked of a page may take; processor.timeout, where that is less.",
  },
  ...videoKeys,
  "processor.svg.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether SVG documents are served. They are drawn by librsvg, in processes of their own, which read no other files.",
  },
  "processor.svg.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "svg",
    min: 134_217_728,
    doc: "Most memory that each of the processes that draw SVG documents may take, at least 128 MB, of which some 80 MB are the program itself; a document that needs more is refused.",
  },
  "processor.svg.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Longest time in seconds that drawing what is asked of an SVG document may take; processor.timeout, where that is less.",
  },
});
