import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** Keys of reading and rendering PDF documents. */
export const pdfKeys = defineKeys({
  ...decodingKeys,
  "processor.dpi": {
    type: "integer",
    default: 150,
    min: 1,
    max: 2_400,
    doc: "Resolution in pixels per inch at which a PDF page has its full size. Cached derivatives keep the old resolution: purge the caches after a change.",
  },
  "processor.pdf.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "Password for opening PDF documents that need one; empty for none. Everyone who may see the image then sees what the password protects. A change closes the documents that it opened; cached derivatives stay until they are purged, and refused documents are tried again once their info is forgotten.",
  },
  "cache.server.pdf.pages.target_size": {
    type: "bytes",
    default: null,
    share: "pages",
    doc: "Memory in each worker, in bytes, for PDF pages that take long to render, such as scans: they are rendered whole at the requested scale, and their tiles are cut from that. One page may take a quarter; 0 for none.",
    restart: true,
  },
  "processor.pdf.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "decoder",
    min: -1,
    doc: "Maximum memory of each thread that renders PDF documents, at least 64 MB; documents that need more are refused. -1 for the maximum of 2 GB.",
  },
  "processor.pdf.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Maximum seconds for opening a PDF document or rendering the requested part of a page; processor.timeout, if that is less.",
  },
});
