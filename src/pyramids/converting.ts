import { environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import { Converter } from "../conversion/converter.ts";
import { ServerError } from "../core/errors.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { encodingFor } from "./encoding.ts";
import type { JobLimits, PyramidJob } from "./job.ts";
import { watchMemory } from "./memory-watch.ts";
import type { OnProgress } from "./queue.ts";
import { ConverterLost, PyramidRefused } from "./refused.ts";

/** A page to convert and the file to write. */
export interface PyramidConversion {
  readonly job: Pick<PyramidJob, "image" | "page" | "facts">;
  readonly reader: RangeReader;
  /** The path of the image's file, or of a copy. */
  readonly from: string;
  readonly to: string;
}

/**
 * Converts a page to a pyramid in a separate process. Throws `PyramidRefused` if it cannot be
 * converted, `ConverterLost` if the process was killed, and `busy` if the disk is full.
 */
export const convertPage = async (
  { job: { image, page, facts }, reader, from, to }: PyramidConversion,
  { limits, values }: { readonly limits: JobLimits; readonly values: Snapshot },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: OnProgress },
): Promise<void> => {
  const start = await startOf(reader, signal);
  const encoding = encodingFor(image.info, page, { ...limits, start });
  const converter = new Converter(environment(), { niceness: limits.niceness });
  const watch = watchMemory(converter, limits.memory);
  try {
    const outcome = await converter.convert(
      {
        from,
        to,
        force: true,
        page: facts.page,
        format: "tif",
        quality: encoding.quality,
        pyramid: { ...encoding, levels: "pages", reduction: "scaled" },
        limits: { "processor.max_decoded_bytes": Math.floor(limits.memory / 2) },
      },
      values,
      { signal, onProgress },
    );
    signal.throwIfAborted();
    if (watch.exceeded)
      throw new PyramidRefused(
        `Making the pyramid took more than ${limits.memory} bytes of memory (pyramids.job_memory).`,
      );
    if ("failed" in outcome) {
      // A file that is being replaced may be unreadable for that reason.
      await reader.check?.();
      const reason = outcome.failed.replace(`${from}: `, "");
      throw outcome.isLost ? new ConverterLost(reason) : failureOf(reason);
    }
  } finally {
    watch.stop();
    await converter.close();
  }
};

/** Enough for the headers that describe how an image is encoded. */
const startBytes = 1_048_576;

const startOf = (reader: RangeReader, signal: AbortSignal): Promise<Uint8Array> =>
  reader.read(0, Math.min(startBytes, reader.size), signal);

/** A full disk is a temporary failure; failures of the decoder are permanent. */
const failureOf = (reason: string): Error =>
  /\((ENOSPC|EDQUOT|EACCES|EROFS)\)/.test(reason)
    ? new ServerError("busy", reason)
    : new PyramidRefused(reason);
