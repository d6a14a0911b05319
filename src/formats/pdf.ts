import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { area, type Size } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder } from "./codec.ts";
import type { PdfFile, PdfJob, PdfOutcome } from "./pdf/job.ts";
import { PageRasters, samples } from "./pdf/page-rasters.ts";
import { pagesOf, partOf } from "./pdf/pages.ts";
import { refuse } from "./pdf/refusals.ts";
import type { PdfThreads } from "./pdf/threads.ts";
import type { readingKeys } from "./reading.ts";
import { open } from "./vips.ts";

/** Pages beyond this many are none. */
const mostPages = 10_000;

/**
 * Reads PDF documents (ISO 32000): each page is a picture at `processor.dpi`, drawn by PDFium in threads at
 * just the scale that is asked for, and of it only the region.
 */
export const createPdfDecoder = (
  settings: () => Settings<typeof readingKeys>,
  threads: PdfThreads,
): Decoder => {
  const rasters = new PageRasters(settings()["cache.server.pdf.pages.target_size"]);
  const names = new WeakMap<ImageInfo, string>();
  let last = 0;
  const newName = (): string => `bytes ${++last}`;

  const carryOut = async (
    reader: RangeReader,
    name: string,
    jobOn: (file: PdfFile) => PdfJob,
    signal: AbortSignal,
  ): Promise<Exclude<PdfOutcome, { trouble: unknown }>> => {
    const { path, size } = reader;
    const password = settings()["processor.pdf.password"];
    const file: PdfFile = { password, ...(path === undefined ? { id: name } : { id: path, path }) };
    let outcome = await threads.run(jobOn(file), signal);
    if (path === undefined && "trouble" in outcome && outcome.trouble === "absent") {
      const most = settings()["processor.max_decoded_bytes"];
      if (size > most)
        fail(
          "unreadable",
          `Expected a PDF document of at most ${most} bytes, since its source is no local file; this one has ${size}.`,
        );
      const bytes = await reader.read(0, size, signal);
      outcome = await threads.run(jobOn({ ...file, bytes }), signal);
    }
    return "trouble" in outcome ? refuse(outcome.trouble) : outcome;
  };

  const checkSize = (size: Size): void => {
    const most = settings()["processor.max_scanned_pixels"];
    if (area(size) > most)
      fail(
        "unreadable",
        `Expected a page of at most ${most} pixels at processor.dpi; this one has ${size.width} x ${size.height}.`,
      );
  };

  return {
    async info(reader, signal) {
      const name = newName();
      const outcome = await carryOut(
        reader,
        name,
        (file) => ({ kind: "sizes", file, most: mostPages }),
        signal,
      );
      if (!("sizes" in outcome)) return fail("internal", "Expected the sizes of pages.");
      const pages = pagesOf(outcome.sizes, settings()["processor.dpi"]);
      checkSize(pages[0].size);
      const info: ImageInfo = { format: "pdf", pages };
      names.set(info, name);
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      const page =
        info.pages[window.page] ??
        fail("missing", `Expected a page from 1 to ${info.pages.length}, not ${window.page + 1}.`);
      checkSize(page.size);
      const name = names.get(info) ?? newName();
      names.set(info, name);
      const most = settings()["processor.max_decoded_bytes"];
      const { whole, region, covers } = partOf(page.size, window, most / samples);
      if (area(region) * samples > most)
        fail(
          "unreadable",
          `Expected a part of a page of at most ${most} bytes; that of ${region.width} x ${region.height} pixels takes more.`,
        );
      const pixels = await rasters.part(
        { page: `${name} ${window.page}`, whole, region },
        signal,
        async (instead, until) => {
          const outcome = await carryOut(
            reader,
            name,
            (file) => ({ kind: "draw", file, page: window.page, whole, region, instead }),
            until,
          );
          return "drawn" in outcome ? outcome.drawn : fail("internal", "Expected a drawn page.");
        },
      );
      const size = { width: region.width, height: region.height };
      const options = {
        limitInputPixels: area(size),
        raw: { ...size, channels: samples },
      } as const;
      const seconds = settings()["processor.timeout"];
      return { image: open(pixels, { options, seconds }), size, covers };
    },
  };
};
