import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** Whether and within what limits SVG documents are rendered. */
export const svgKeys = defineKeys({
  ...decodingKeys,
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
