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
    doc: "Most pixels a picture may have whose format has no random access (JPEG, PNG), since any part of it means reading all that comes before. Larger ones are refused; as pyramidal TIFF they are no trouble.",
  },
  "processor.timeout": {
    type: "integer",
    default: 30,
    min: 0,
    max: 3600,
    doc: "Longest time in seconds that decoding, drawing and encoding one picture may take; 0 for no limit.",
  },
  "processor.svg.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether SVG documents are served. They are drawn by librsvg, which reads no other files, but whose drawing nothing interrupts: switch it on for documents of your own.",
  },
});
