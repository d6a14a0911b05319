import type { Format } from "../record/index.ts";
import { npmPackage } from "../shared/index.ts";
import { encoders } from "../write/index.ts";
import { pdfKeys } from "./keys.ts";

/** PDF documents. */
export const pdf: Format = {
  name: "pdf",
  facts: {
    name: "PDF",
    extensions: ["pdf"],
    mediaTypes: ["application/pdf"],
    alpha: false,
    maxSide: 65_500,
  },
  // Data before the header is skipped (ISO 32000-1, annex H, note 13).
  signature: { matches: (start) => start.subarray(0, 1_024).includes("%PDF-") },
  reader: npmPackage("@hyzyla/pdfium", "PDFium"),
  keys: pdfKeys,
  createDecoder: async (resources) => {
    const { pdfThreads } = await import("./resources.ts");
    const { createPdfDecoder } = await import("./decoder.ts");
    return createPdfDecoder(resources.config.view(pdfKeys), resources.get(pdfThreads));
  },
  encoder: encoders.pdf,
  metadata: async () => (await import("./metadata.ts")).scanPdf,
};
