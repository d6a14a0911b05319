import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** How PDF documents are read and rendered. */
export const pdfKeys = defineKeys({
  ...decodingKeys,
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
});
