import { answerJobs } from "../pool/index.ts";
import { Documents, type OpenDocument, PdfOpenError } from "./documents.ts";
import { drawPart } from "./drawing.ts";
import { type Engine, startEngine } from "./engine.ts";
import { informationOf, packetOf } from "./information.ts";
import type { PdfJob, PdfOutcome } from "./job.ts";

const sizesOf = (engine: Engine, { handle, pages }: OpenDocument, max: number): Float64Array => {
  const sizes = new Float64Array(Math.min(pages, max) * 2);
  engine.borrow(sizeBytes, (address) => {
    for (let page = 0; page * 2 < sizes.length; page++) {
      if (engine.pdfium._FPDF_GetPageSizeByIndexF(handle, page, address) === 0) continue;
      const size = engine.view(address, sizeBytes);
      sizes.set([size.getFloat32(0, true), size.getFloat32(4, true)], page * 2);
    }
  });
  return sizes;
};

/** FS_SIZEF: width and height in single precision. */
const sizeBytes = 8;

await answerJobs<PdfJob, PdfOutcome>(async ({ memory: max }) => {
  const memory = Number(max);
  const documents = new Documents();
  // Documents that are in no local file use the same memory.
  const engine = await startEngine(() => memory - documents.heldBytes, documents.read);
  documents.use(engine, memory);
  return {
    carryOut(job) {
      try {
        switch (job.kind) {
          case "sizes":
            return { sizes: sizesOf(engine, documents.open(job.file), job.max) };
          case "draw":
            return { drawn: drawPart(engine, documents.page(job.file, job.page), job) };
          case "information":
            return { information: informationOf(engine, documents.open(job.file), job.max) };
          case "packet":
            return { packet: packetOf({ engine, documents }, job.file, job.max) };
        }
      } catch (error) {
        if (error instanceof PdfOpenError) return { trouble: error.kind };
        throw error;
      }
    },
    transfer: (outcome) => ("drawn" in outcome ? [outcome.drawn.pixels.buffer as ArrayBuffer] : []),
    // Anything but trouble has broken the engine.
    isFatal: () => true,
    afterwards: () => documents.relax(),
  };
});
