import type { Settings } from "../../config/keys.ts";
import { ServerError } from "../../core/errors.ts";
import { createPool, type MemoryReservations, type Pool, threadBase } from "../pool/index.ts";
import type { PdfJob, PdfOutcome } from "./job.ts";
import type { pdfKeys } from "./keys.ts";

/** The number of rendering threads, and the limits of each. */
export interface PdfThreadLimits {
  /** At least 1. */
  readonly threads: number;
  /** Of one job, in milliseconds. */
  readonly ms: number;
  /** Of PDFium and of documents that are in no local file, in bytes. */
  readonly memory: number;
  /** Linux nice value of the threads: 0 to 19. */
  readonly niceness?: number;
}

/** The configured limits; `threads` and `niceness` are those of the other rendering threads. */
export const pdfThreadLimits = (
  settings: Settings<typeof pdfKeys>,
  drawing: Pick<PdfThreadLimits, "threads" | "niceness">,
): PdfThreadLimits => {
  const seconds = settings["processor.timeout"] || Number.POSITIVE_INFINITY;
  return {
    ...drawing,
    ms: Math.min(seconds, settings["processor.pdf.timeout"]) * 1_000,
    memory: maxMemoryOf(settings),
  };
};

/** Memory limit of a thread in bytes. */
export const maxMemoryOf = (settings: Settings<typeof pdfKeys>): number => {
  const max = settings["processor.pdf.max_memory_bytes"];
  return max < 0 ? maxMemory : Math.max(minMemory, max);
};

/** PDFium's memory ends at 2 GB; with less than 64 MB it can do little. */
const maxMemory = 2 ** 31;
const minMemory = 67_108_864;

/**
 * Opens documents and renders their pages away from the event loop. A job that crashed its thread
 * is `unreadable`; one that cannot begin in time to end within a document's time limit plus one
 * second, and within nine seconds, is `busy`.
 */
export type PdfThreads = Pool<PdfJob, PdfOutcome>;

/** A few threads that start on demand; each has one job at a time. */
export const createPdfThreads = (
  limits: () => PdfThreadLimits,
  reservations?: MemoryReservations,
): PdfThreads =>
  createPool<PdfJob, PdfOutcome>(
    () => {
      const { memory, ...others } = limits();
      return { ...others, data: { memory }, reservedBytes: threadBase + memory };
    },
    {
      reservations,
      module: new URL("./page-worker", import.meta.url),
      about: ({ file }) => file.id,
      // Every caller is answered within ten seconds, if the time limit of a document is eight or
      // less.
      patienceMs: 1_000,
      togetherMs: 9_000,
      // Most renders are worth finishing.
      graceMs: 1_000,
      // Memory does not shrink otherwise.
      idleMs: 60_000,
      failures: { late, broken, notStarted, damaged: broken },
    },
  );

const late = (): ServerError =>
  new ServerError("late", "Reading or rendering a page of the PDF document took too long.");

const broken = (cause: unknown): ServerError =>
  new ServerError(
    "unreadable",
    "Expected a PDF document that can be rendered in the available memory; this one is corrupt or needs more.",
    { cause },
  );

const notStarted = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that renders PDF documents did not start.", { cause });
