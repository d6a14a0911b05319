import { type Failure, fail } from "../../core/errors.ts";
import { SourceChanged } from "../../core/range-reader.ts";
import type { PdfTrouble } from "./job.ts";

/** Throws the error for a document's problem. */
export const refuse = (trouble: PdfTrouble): never => {
  if (trouble === "changed") throw new SourceChanged();
  const [failure, message] = refusals[trouble];
  return fail(failure, message);
};

const refusals: Readonly<Record<Exclude<PdfTrouble, "changed">, readonly [Failure, string]>> = {
  absent: ["internal", "A rendering thread lost the bytes of the PDF document."],
  damaged: ["unreadable", "Corrupt PDF document, or no PDF at all."],
  encrypted: ["unreadable", "The PDF document uses a non-standard encryption."],
  large: ["unreadable", "Expected a PDF document of less than 2 GB; this one is larger."],
  locked: ["denied", "The PDF document needs a password, and processor.pdf.password is not it."],
  page: ["unreadable", "Corrupt page in the PDF document."],
};
