import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";
import type { PdfFile, PdfJob, PdfOutcome } from "./job.ts";
import type { pdfKeys } from "./keys.ts";
import { refuse } from "./refusals.ts";
import { maxMemoryOf, type PdfThreads } from "./threads.ts";

/** What is needed for asking of documents. */
export interface PdfAsking {
  readonly settings: () => Settings<typeof pdfKeys>;
  readonly threads: PdfThreads;
}

/** Whose bytes are meant. */
export interface PdfSubject {
  readonly reader: RangeReader;
  /** Names the bytes, where they are in no local file. */
  readonly name: string;
  /** Tried where the document does not open without; empty for none. */
  readonly password: string;
  /** Milliseconds that threads took before for the same request, which count as wait; 0. */
  readonly spentMs?: number;
}

/** What came of a job that has no trouble with its document. */
export interface PdfAnswer {
  readonly outcome: Exclude<PdfOutcome, { readonly trouble: unknown }>;
  /** Milliseconds that threads took, the wait for them and what was spent before included. */
  readonly spentMs: number;
}

/**
 * Has a job carried out by a thread, which is given the bytes where it neither can nor did read
 * them itself. Throws what `refuse` says of trouble, and what the pool throws.
 */
export const ask = async (
  asking: PdfAsking,
  subject: PdfSubject,
  jobOn: (file: PdfFile) => PdfJob,
  signal: AbortSignal,
): Promise<PdfAnswer> => {
  const { name, password, reader, spentMs = 0 } = subject;
  const path = await localPath(reader, signal);
  const file: PdfFile = { password, ...(path === undefined ? { id: name } : { id: path, path }) };
  let spent = spentMs;
  const run = async (on: PdfFile): Promise<PdfOutcome> => {
    const start = performance.now();
    const outcome = await asking.threads.run(jobOn(on), signal, spent);
    spent += performance.now() - start;
    return outcome;
  };
  let outcome = await run(file);
  if (path === undefined && "trouble" in outcome && outcome.trouble === "absent")
    outcome = await run({ ...file, bytes: await bytesOf(asking, reader, signal) });
  return "trouble" in outcome ? refuse(outcome.trouble) : { outcome, spentMs: spent };
};

const bytesOf = (
  { settings }: PdfAsking,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const now = settings();
  // Beside the bytes there has to be memory to draw in.
  const max = Math.min(now["processor.max_decoded_bytes"], maxMemoryOf(now) / 2);
  const { size } = reader;
  if (size > max)
    fail(
      "unreadable",
      `Expected a PDF document of at most ${max} bytes, since its source is no local file; this one has ${size}.`,
    );
  return reader.read(0, size, signal);
};
