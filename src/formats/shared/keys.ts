import { defineKeys } from "../../config/keys.ts";

/** Limits that decoders of all formats share. */
export const decodingKeys = defineKeys({
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
});
