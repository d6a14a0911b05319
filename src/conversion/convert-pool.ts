import { environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import type { ConvertJob } from "./convert-file.ts";
import { type ConversionOutcome, Converter } from "./converter.ts";

/** Gives jobs to workers and receives their results. */
export interface ConversionQueue<J extends ConvertJob> {
  /** The next job; undefined where none is left. */
  readonly next: () => J | undefined;
  /** Called with the progress of a job, 0 to 1, and its number of pixels. */
  readonly onProgress: (job: J, share: number, pixels: number) => void;
  readonly onEnd: (job: J, outcome: ConversionOutcome) => void;
}

/**
 * Runs jobs in so many processes, each converting one file after another: a file that crashes its
 * process affects no other. Ends early, without throwing, when the signal aborts.
 */
export const convertAll = async <J extends ConvertJob>(
  { workers, values }: { readonly workers: number; readonly values: Snapshot },
  work: ConversionQueue<J>,
  signal: AbortSignal,
): Promise<void> => {
  const env = environment();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      let converter: Converter | undefined;
      for (let job = work.next(); job !== undefined && !signal.aborted; job = work.next()) {
        converter ??= new Converter(env);
        const current = job;
        const outcome = await converter.convert(job, values, {
          signal,
          onProgress: (share, pixels) => work.onProgress(current, share, pixels),
        });
        if (converter.isGone) converter = undefined;
        if (!signal.aborted) work.onEnd(job, outcome);
      }
      await converter?.close();
    }),
  );
};
