import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";
import type { PdfFile, PdfJob, PdfOutcome } from "./job.ts";
import type { pdfKeys } from "./keys.ts";
import { refuse } from "./refusals.ts";
import { maxMemoryOf, type PdfThreads } from "./threads.ts";

/** The dependencies of jobs on documents. */
export interface PdfAsking {
  readonly settings: () => Settings<typeof pdfKeys>;
  readonly threads: PdfThreads;
}

/** The document's bytes. */
export interface PdfSubject {
  readonly reader: RangeReader;
  /** Identifies the bytes, where they are in no local file. */
  readonly name: string;
  /** Tried where the document requires one; empty for none. */
  readonly password: string;
  /** Milliseconds that threads spent before for the same request, which count as wait; 0. */
  readonly spentMs?: number;
}

/** The result of a job without a problem of its document. */
export interface PdfAnswer {
  readonly outcome: Exclude<PdfOutcome, { readonly trouble: unknown }>;
  /** Milliseconds that threads spent, including the wait for them and what was spent before. */
  readonly spentMs: number;
}

/**
 * Runs a job in a thread, which is sent the bytes where it cannot read them itself and does not
 * have them. Throws what `refuse` makes of problems, and what the pool throws.
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
    const outcome = await asking.threads.run(jobOn(on), signal, { spentMs: spent });
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
  // Memory for rendering is needed besides the bytes.
  const max = Math.min(now["processor.max_decoded_bytes"], maxMemoryOf(now) / 2);
  const { size } = reader;
  if (size > max)
    fail(
      "unreadable",
      `Expected a PDF document of at most ${max} bytes, since it is not a local file; this one has ${size}.`,
    );
  return reader.read(0, size, signal);
};
