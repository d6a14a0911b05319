import { defineKeys } from "../config/keys.ts";

/** What bounds the reading of pictures. */
export const readingKeys = defineKeys({
  "processor.max_decoded_bytes": {
    type: "bytes",
    default: 536_870_912,
    min: 1_048_576,
    doc: "Most memory one picture may take once decoded, where its format has to be decoded whole (AVIF, WebP, GIF, interlaced PNG, progressive JPEG, TIFF in one large strip). Larger ones are refused.",
  },
  "processor.max_scanned_pixels": {
    type: "integer",
    default: 1_000_000_000,
    min: 1_000_000,
    doc: "Most pixels a picture may have whose format has no random access (JPEG, PNG), since any part of it means reading all that comes before. Larger ones are refused; as pyramidal TIFF they are no trouble. Also the most pixels that a page of a PDF document may have at processor.dpi.",
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
  "processor.pdf.max_memory_bytes": {
    type: "bytes",
    default: 536_870_912,
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
  "processor.svg.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether SVG documents are served. They are drawn by librsvg, which reads no other files, but whose drawing nothing interrupts: switch it on for documents of your own.",
  },
});
