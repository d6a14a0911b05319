import type { Engine } from "./engine.ts";

/**
 * A document as PDFium writes it, complete and unencrypted; undefined where that takes more than
 * `max` bytes, or fails. The document has to be in memory.
 */
export const savedDocument = (
  engine: Engine,
  document: number,
  max: number,
): Buffer | undefined => {
  const { pdfium, borrow, view, writing } = engine;
  const parts: Buffer[] = [];
  let length = 0;
  const write = (_writer: number, data = 0, bytes = 0): number => {
    const from = data >>> 0;
    length += bytes >>> 0;
    if (length > max) return 0;
    parts.push(Buffer.from(pdfium.HEAPU8.subarray(from, from + (bytes >>> 0))));
    return 1;
  };
  const isWhole = writing(write, (slot) =>
    borrow(writerBytes, (writer) => {
      const fields = view(writer, writerBytes);
      fields.setUint32(0, writerVersion, true);
      fields.setUint32(4, slot, true);
      return pdfium._FPDF_SaveAsCopy(document, writer, withoutSecurity) !== 0;
    }),
  );
  return isWhole && length <= max ? Buffer.concat(parts) : undefined;
};

/** FPDF_FILEWRITE: version, function. */
const writerBytes = 8;
const writerVersion = 1;
/** FPDF_REMOVE_SECURITY. */
const withoutSecurity = 3;
