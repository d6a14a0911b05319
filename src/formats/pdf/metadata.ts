import { randomUUID } from "node:crypto";
import { fail, ServerError } from "../../core/errors.ts";
import { largest, longestText, type Scan } from "../metadata/index.ts";
import { ask, type PdfAsking } from "./asking.ts";
import type { PdfPacket } from "./job.ts";
import { pdfAsking } from "./resources.ts";

/** Maximum bytes of a document whose XMP packet is searched. */
const largestDocument = 33_554_432;

/**
 * Reads a PDF document's metadata (ISO 32000-2, 14.3): its information dictionary, and the XMP
 * packet of the whole document; none of its pages and images. Reads nothing without threads to open
 * documents.
 */
export const scanPdf = async (scan: Scan): Promise<void> => {
  const { resources, findings } = scan;
  if (resources === undefined) return;
  const documents = pdfAsking(resources);
  // The current password, for both.
  const password = documents.settings()["processor.pdf.password"];
  const subject = { reader: scan.reader, name: `metadata ${randomUUID()}`, password };
  const answered = await told(scan, "what the PDF document says of itself", () =>
    ask(
      documents,
      subject,
      (file) => ({ kind: "information", file, max: longestText }),
      scan.signal,
    ),
  );
  if (answered === undefined) return;
  const { outcome } = answered;
  if (!("information" in outcome))
    return fail("internal", "Expected document information from the thread.");
  for (const { name, bytes, value } of outcome.information)
    findings.addField(value === undefined ? { name, bytes } : { name, value });
  await takePacket(scan, documents, subject);
};

const takePacket = async (
  scan: Scan,
  documents: PdfAsking,
  subject: Parameters<typeof ask>[1],
): Promise<void> => {
  const max = { document: largestDocument, packet: largest.xmp };
  const answered = await told(scan, "XMP of the PDF document", () =>
    ask(documents, subject, (file) => ({ kind: "packet", file, max }), scan.signal),
  );
  if (answered === undefined) return;
  const { outcome } = answered;
  if (!("packet" in outcome))
    return fail("internal", "Expected an XMP packet or nothing from the thread.");
  const { packet } = outcome;
  if (packet.kind === "packet") scan.findings.addBlock("xmp", packet.bytes);
  else if (packet.kind !== "none") scan.findings.problem(problems[packet.kind]);
};

const problems: Readonly<Record<Exclude<PdfPacket["kind"], "packet" | "none">, string>> = {
  "large document": `Expected a PDF document of at most ${largestDocument} bytes; XMP of larger ones is skipped.`,
  large: `Expected XMP of at most ${largest.xmp} bytes; that of the PDF document is larger and is skipped.`,
  filtered: "The XMP of the PDF document is neither plain nor Flate-compressed and is skipped.",
  damaged: "Corrupt XMP in the PDF document; it is skipped.",
};

/**
 * The result; undefined, with a problem, where there was no time for it: the rest is read
 * nevertheless.
 */
const told = async <T>(
  { findings }: Scan,
  what: string,
  asked: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await findings.attempt(asked);
  } catch (error) {
    if (!(error instanceof ServerError) || !(error.failure === "late" || error.failure === "busy"))
      throw error;
    findings.problem(`Reading ${what} took too long; it is skipped.`);
    return undefined;
  }
};
