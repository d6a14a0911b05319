import { defineResource, memoryReservations, type Resources } from "../pool/index.ts";
import { threadLimitsOf } from "../shared/index.ts";
import type { PdfAsking } from "./asking.ts";
import { pdfKeys } from "./keys.ts";
import { createPdfThreads, type PdfThreads, pdfThreadLimits } from "./threads.ts";

/** The threads that render PDF pages. */
export const pdfThreads = defineResource<PdfThreads>({
  create: (resources) => {
    const settings = resources.config.view(pdfKeys);
    const limits = threadLimitsOf(resources);
    const reservations = resources.get(memoryReservations);
    return createPdfThreads(() => pdfThreadLimits(settings(), limits()), reservations);
  },
  close: (threads) => threads.close(),
});

/** What reading the metadata of PDF documents needs. */
export const pdfAsking = (resources: Resources): PdfAsking => ({
  settings: resources.config.view(pdfKeys),
  threads: resources.get(pdfThreads),
});
