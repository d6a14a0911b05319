import type { Engine } from "./engine.ts";

/** Renders a document's form fields as filled in. */
export interface PdfForm {
  /** PDFium's handle. */
  readonly handle: number;
  /** FPDF_FORMFILLINFO, which exists as long as that. */
  readonly info: number;
}

/**
 * Prepares a document's forms for rendering; must be closed before the document. PDFium gets no
 * callbacks: no scripts, no timers, no links, no focus, and no highlight of fields.
 */
export const openForm = ({ pdfium, reserve, view }: Engine, document: number): PdfForm => {
  const info = reserve(infoBytes);
  const fields = view(info, infoBytes);
  for (let at = 0; at < infoBytes; at += 4) fields.setUint32(at, 0, true);
  fields.setUint32(0, infoVersion, true);
  const handle = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
  if (handle === 0) throw new Error("PDFium could not prepare the document's forms.");
  pdfium._FPDF_SetFormFieldHighlightAlpha(handle, 0);
  return { handle, info };
};

export const closeForm = ({ pdfium }: Engine, { handle, info }: PdfForm): void => {
  pdfium._FPDFDOC_ExitFormFillEnvironment(handle);
  pdfium.wasmExports.free(info);
};

/** Whether a page has form fields. */
export const hasFields = ({ pdfium }: Engine, page: number): boolean => {
  const count = pdfium._FPDFPage_GetAnnotCount(page);
  for (let number = 0; number < count; number++) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, number);
    if (annotation === 0) continue;
    const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
    pdfium._FPDFPage_CloseAnnot(annotation);
    if (subtype === widget) return true;
  }
  return false;
};

/** FPDF_ANNOT_WIDGET. */
const widget = 20;

/**
 * Version 1 has no XFA; its number is followed by fifteen functions and the script platform, all
 * absent.
 */
const infoVersion = 1;
/** More than the latest version has, should PDFium read further than stated. */
const infoBytes = 256;
