import { defineKeys } from "../../config/keys.ts";

/** Keys of limits that decoders of all formats share. */
export const decodingKeys = defineKeys({
  "processor.max_decoded_bytes": {
    type: "bytes",
    default: null,
    share: "decoded",
    min: 1_048_576,
    doc: "Maximum memory of one decoded image, in formats that are decoded whole (AVIF, HEIC, JPEG XL, WebP, GIF, interlaced PNG, progressive JPEG, TIFF in one large strip). Larger ones are refused.",
  },
  "processor.max_scanned_pixels": {
    type: "integer",
    default: 1_000_000_000,
    min: 1_000_000,
    doc: "Maximum pixels of an image in a format without random access (JPEG, PNG), where reading any part means reading all that precedes it. Pixels of more than four bytes, as in 16 bits with transparency, count twice. Larger images are refused; as pyramidal TIFF they are no problem. Also the maximum number of pixels of a TIFF, BMP or DICOM image that are read for one response (for TIFF in whole tiles and strips), of all frames of an animation up to the requested one, and of a PDF page at processor.dpi.",
  },
  "processor.timeout": {
    type: "integer",
    default: 30,
    min: 0,
    max: 3600,
    doc: "Maximum seconds for decoding, rendering and encoding one image; 0 for no limit.",
  },
});
