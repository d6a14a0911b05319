import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area, type Size } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import { open } from "../libvips/index.ts";
import type { Decoder } from "../shared/index.ts";
import { requirePage } from "../shared/index.ts";
import { ask, type PdfAnswer, type PdfSubject } from "./asking.ts";
import type { PdfFile, PdfJob } from "./job.ts";
import type { pdfKeys } from "./keys.ts";
import { PageRasters, samples } from "./page-rasters.ts";
import { pagesOf, partOf } from "./pages.ts";
import type { PdfThreads } from "./threads.ts";

/** Maximum number of pages. */
const maxPages = 10_000;

/** Milliseconds within which a page is rendered by the request that its document was opened for. */
const soonMs = 1_000;

/**
 * Reads PDF documents (ISO 32000): each page is an image at `processor.dpi`, rendered by PDFium in
 * threads at exactly the requested scale, and only the requested region.
 */
export const createPdfDecoder = (
  settings: () => Settings<typeof pdfKeys>,
  threads: PdfThreads,
): Decoder => {
  const rasters = new PageRasters(settings()["cache.server.pdf.pages.target_size"]);
  const names = new WeakMap<ImageInfo, string>();
  let last = 0;
  const newName = (): string => `bytes ${++last}`;

  let latest = { password: "", state: 0 };
  /** The configured password, and a number that changes with it. */
  const secret = (): { readonly password: string; readonly state: number } => {
    const password = settings()["processor.pdf.password"];
    if (password !== latest.password) latest = { password, state: latest.state + 1 };
    return latest;
  };

  const carryOut = (
    subject: PdfSubject,
    jobOn: (file: PdfFile) => PdfJob,
    signal: AbortSignal,
  ): Promise<PdfAnswer> => ask({ settings, threads }, subject, jobOn, signal);

  const learned = new WeakMap<ImageInfo, { readonly at: number; readonly spentMs: number }>();
  /** A request that renders once the pages are known has waited for that as well. */
  const spentBefore = (info: ImageInfo): number => {
    const { at, spentMs } = learned.get(info) ?? { at: Number.NEGATIVE_INFINITY, spentMs: 0 };
    return performance.now() - at < soonMs ? spentMs : 0;
  };

  const checkSize = (size: Size): void => {
    const max = settings()["processor.max_scanned_pixels"];
    if (area(size) > max)
      fail(
        "unreadable",
        `Expected a page of at most ${max} pixels at processor.dpi; this one has ${size.width} x ${size.height}.`,
      );
  };

  return {
    async info(reader, signal) {
      const name = newName();
      const { password } = secret();
      const { outcome, spentMs } = await carryOut(
        { reader, name, password },
        (file) => ({ kind: "sizes", file, max: maxPages }),
        signal,
      );
      if (!("sizes" in outcome))
        return fail("internal", "Expected the page sizes from the thread.");
      const pages = pagesOf(outcome.sizes, settings()["processor.dpi"]);
      checkSize(pages[0].size);
      const info: ImageInfo = { format: "pdf", pages };
      names.set(info, name);
      learned.set(info, { at: performance.now(), spentMs });
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      const page = requirePage(info, window.page);
      checkSize(page.size);
      const name = names.get(info) ?? newName();
      names.set(info, name);
      const max = settings()["processor.max_decoded_bytes"];
      const { whole, region, covers } = partOf(page.size, window, max / samples);
      if (area(region) * samples > max)
        fail(
          "unreadable",
          `Expected a region of a page of at most ${max} bytes; one of ${region.width} x ${region.height} pixels takes more.`,
        );
      const { password, state } = secret();
      let spentMs = spentBefore(info);
      const pixels = await rasters.part(
        // Pages rendered with another password must not be shown any more.
        { page: `${name} ${state} ${window.page}`, whole, region },
        signal,
        async (instead, until) => {
          const { outcome, ...took } = await carryOut(
            { reader, name, password, spentMs },
            (file) => ({ kind: "draw", file, page: window.page, whole, region, instead }),
            until,
          );
          spentMs = took.spentMs;
          return "drawn" in outcome
            ? outcome.drawn
            : fail("internal", "Expected a rendered page from the thread.");
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
