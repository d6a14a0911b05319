import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { Documents, Trouble } from "./documents.ts";
import { drawPage } from "./drawing.ts";
import { startEngine } from "./engine.ts";
import type { PdfAnswer, PdfFile, PdfJob, PdfOutcome, PdfReady, PdfRequest } from "./job.ts";

if (process.platform === "linux" && typeof workerData.niceness === "number")
  // There it is the calling thread alone whose priority this is.
  setPriority(0, workerData.niceness);

const memory = Number(workerData.memory);
const documents = new Documents();
const engine = await startEngine(memory, documents.read);
documents.use(engine, memory);

const sizesOf = (file: PdfFile, most: number): Float64Array => {
  const { handle, pages } = documents.open(file);
  const sizes = new Float64Array(Math.min(pages, most) * 2);
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

const carryOut = (job: PdfJob): PdfOutcome => {
  try {
    if (job.kind === "sizes") return { sizes: sizesOf(job.file, job.most) };
    return { pixels: drawPage(engine, documents.page(job.file, job.page), job) };
  } catch (error) {
    // Anything else has broken the engine, and ends the thread.
    if (error instanceof Trouble) return { trouble: error.kind };
    throw error;
  }
};

parentPort?.on("message", ({ id, job }: PdfRequest) => {
  const outcome = carryOut(job);
  const answer: PdfAnswer = { id, outcome };
  parentPort?.postMessage(
    answer,
    "pixels" in outcome ? [outcome.pixels.buffer as ArrayBuffer] : [],
  );
  documents.relax();
});

const ready: PdfReady = { ready: true };
parentPort?.postMessage(ready);
