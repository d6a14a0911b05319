import { constants, inflateSync } from "node:zlib";
import { type Documents, loadedWith, type OpenDocument } from "./documents.ts";
import type { Engine } from "./engine.ts";
import type { PacketLimits, PdfFile, PdfPacket, PdfText } from "./job.ts";
import { savedDocument } from "./saving.ts";
import { streamOfCatalog } from "./written.ts";

/**
 * A document's information dictionary (ISO 32000-2, 14.3.3); of texts longer than `max` bytes the
 * length alone.
 */
export const informationOf = (
  { pdfium, lend, borrow, view }: Engine,
  { handle }: OpenDocument,
  max: number,
): readonly PdfText[] =>
  names.flatMap((name): PdfText[] =>
    lend(Buffer.from(`${name}\0`), (tag) => {
      // In UTF-16, with a NUL at the end.
      const bytes = pdfium._FPDF_GetMetaText(handle, tag, 0, 0);
      if (bytes <= 2) return [];
      if (bytes > max) return [{ name, bytes }];
      const value = borrow(bytes, (address) => {
        pdfium._FPDF_GetMetaText(handle, tag, address, bytes);
        const { buffer, byteOffset } = view(address, bytes);
        return Buffer.from(buffer, byteOffset, bytes - 2).toString("utf16le");
      });
      return [{ name, bytes, value }];
    }),
  );

const names = [
  "Title",
  "Author",
  "Subject",
  "Keywords",
  "Creator",
  "Producer",
  "CreationDate",
  "ModDate",
];

/**
 * The XMP of the document itself, the metadata stream of its catalog (ISO 32000-2, 14.3.2). PDFium
 * does not expose it, but can write documents, however their objects are stored, in a form that is
 * easy to parse.
 */
export const packetOf = (
  { engine, documents }: { readonly engine: Engine; readonly documents: Documents },
  file: PdfFile,
  max: PacketLimits,
): PdfPacket => {
  const bytes = documents.contents(file, max.document);
  if (bytes === undefined) return { kind: "large document" };
  // Streams are separate objects, and what describes them is never encrypted.
  if (!bytes.includes("/XML")) return { kind: "none" };
  const saved = engine.lend(bytes, (address) => {
    const load = (secret: number): number =>
      engine.pdfium._FPDF_LoadMemDocument64(address, bytes.length, secret);
    const { handle } = loadedWith(engine, file.password, load);
    if (handle === 0) return undefined;
    const written = savedDocument(engine, handle, max.document * maxGrown);
    engine.pdfium._FPDF_CloseDocument(handle);
    return written;
  });
  if (saved === undefined) return { kind: "damaged" };
  const stream = streamOfCatalog(saved, "Metadata");
  return stream === undefined ? { kind: "none" } : decoded(stream, max.packet);
};

/** Factor for what is unpacked from object streams. */
const maxGrown = 4;

/** PDFium writes metadata as stored, without stating its filter: the first bytes show it. */
const decoded = (bytes: Buffer, max: number): PdfPacket => {
  const [first = 0, second = 0] = bytes;
  if (textStarts.has(first))
    return bytes.length > max ? { kind: "large" } : { kind: "packet", bytes: Buffer.from(bytes) };
  // The header of RFC 1950, 2.2.
  if ((first & 0x0f) !== 8 || (first * 256 + second) % 31 !== 0) return { kind: "filtered" };
  try {
    const inflated = inflateSync(bytes, {
      maxOutputLength: max,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return { kind: "packet", bytes: Buffer.from(inflated) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "large" };
    if (/^(?:ERR_|Z_)/.test(code)) return { kind: "damaged" };
    throw error;
  }
};

/**
 * Of XML in any of its encodings: `<`, white space, and the byte order marks of UTF-8, UTF-16 and
 * UTF-32.
 */
const textStarts = new Set([0x3c, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xfe, 0xff, 0x00]);
