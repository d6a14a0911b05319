import { environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import { type ConversionHelp, Converter } from "../conversion/converter.ts";
import { ServerError } from "../core/errors.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { encodingFor } from "./encoding.ts";
import type { JobLimits, PyramidJob } from "./job.ts";
import { residentBytes, watchMemory } from "./memory-watch.ts";
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

/** Milliseconds for which a process waits for another page. */
const idleMs = 5_000;

/**
 * The process that converts pages, one at a time. It is started for the first page, and used for
 * others that follow soon: starting it takes as long as converting a photograph's smaller levels.
 */
export class PageConverter {
  #idle: { readonly converter: Converter; readonly niceness: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Converts a page to a pyramid. Throws `PyramidRefused` if it cannot be converted, `ConverterLost`
   * if the process was killed, and `busy` if the disk is full.
   */
  async convert(
    { job: { image, page, facts }, reader, from, to }: PyramidConversion,
    { limits, values }: { readonly limits: JobLimits; readonly values: Snapshot },
    { signal, onProgress, findReduced }: ConversionHelp & { readonly onProgress: OnProgress },
  ): Promise<void> {
    const encoding = encodingFor(image.info, page, limits);
    const converter = await this.#take(limits);
    const watch = watchMemory(converter, limits.memory);
    let isHealthy = false;
    try {
      const outcome = await converter.convert(
        {
          from,
          to,
          force: true,
          page: facts.page,
          format: "tif",
          quality: encoding.quality,
          pyramid: {
            ...{ ...encoding, levels: "pages", reduction: "scaled" },
            minSide: limits.minSide,
          },
          limits: { "processor.max_decoded_bytes": Math.floor(limits.memory / 2) },
        },
        values,
        { signal, onProgress, findReduced },
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
      // Memory that was not returned would count for the next page.
      isHealthy = ((await residentBytes(converter.pid)) ?? 0) < limits.memory / 4;
    } finally {
      watch.stop();
      if (isHealthy && !converter.isGone) this.#keep(converter, limits);
      else await converter.close();
    }
  }

  /** Ends the process, where one waits. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const idle = this.#idle;
    this.#idle = undefined;
    await idle?.converter.close();
  }

  async #take({ niceness }: JobLimits): Promise<Converter> {
    clearTimeout(this.#timer);
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.niceness === niceness && !idle.converter.isGone) return idle.converter;
    await idle?.converter.close();
    return new Converter(environment(), { niceness });
  }

  #keep(converter: Converter, { niceness }: JobLimits): void {
    this.#idle = { converter, niceness };
    this.#timer = setTimeout(() => void this.close(), idleMs);
    this.#timer.unref();
  }
}

/** A full disk is a temporary failure; failures of the decoder are permanent. */
const failureOf = (reason: string): Error =>
  /\((ENOSPC|EDQUOT|EACCES|EROFS)\)/.test(reason)
    ? new ServerError("busy", reason)
    : new PyramidRefused(reason);
