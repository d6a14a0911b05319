import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** Keys of rendering SVG documents. */
export const svgKeys = defineKeys({
  ...decodingKeys,
  "processor.svg.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether SVG documents are served. librsvg renders them in processes of their own, which read no other files.",
  },
  "processor.svg.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "svg",
    min: 134_217_728,
    doc: "Maximum memory of each process that renders SVG documents, at least 128 MB, of which about 80 MB are the program itself; documents that need more are refused.",
  },
  "processor.svg.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Maximum seconds for rendering the requested part of an SVG document; processor.timeout, if that is less.",
  },
});
