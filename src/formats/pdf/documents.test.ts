import { describe, expect, it } from "vitest";
import { drawnPage, pdfOf, rectangle, streamOf } from "../../../test/pdf.ts";
import { Documents } from "./documents.ts";
import { drawPart } from "./drawing.ts";
import { startEngine } from "./engine.ts";

/** A page with a field, and one without. */
const form = pdfOf(
  [
    { ...drawnPage, entries: "/Annots[4 0 R]" },
    drawnPage,
    { ...drawnPage, entries: "/Annots[4 0 R]" },
  ],
  {
    objects: [
      streamOf(rectangle("0 0 1", 0, 0, 20, 20), "/Type/XObject/Subtype/Form/BBox[0 0 20 20]"),
      "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)/Rect[50 40 70 60]/F 4/AP<</N 3 0 R>>>>",
    ],
    catalog: "/AcroForm<</Fields[4 0 R]>>",
  },
);

const whole = { width: 240, height: 180 };

describe("documents with forms", () => {
  it("release pages, forms and memory when closed repeatedly", async () => {
    const documents = new Documents();
    const engine = await startEngine(() => 134_217_728, documents.read);
    const open = { pages: 0, forms: 0 };
    const { pdfium } = engine;
    const counting: typeof pdfium = Object.assign(Object.create(pdfium), {
      _FORM_OnAfterLoadPage(page: number, form: number) {
        open.pages++;
        pdfium._FORM_OnAfterLoadPage(page, form);
      },
      _FORM_OnBeforeClosePage(page: number, form: number) {
        open.pages--;
        pdfium._FORM_OnBeforeClosePage(page, form);
      },
      _FPDFDOC_InitFormFillEnvironment(document: number, info: number) {
        open.forms++;
        return pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
      },
      _FPDFDOC_ExitFormFillEnvironment(form: number) {
        open.forms--;
        pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      },
    });
    documents.use({ ...engine, pdfium: counting }, 134_217_728);
    let number = 0;
    const drawMany = (): number => {
      for (let time = 0; time < 60; time++) {
        const file = { id: `form ${++number}`, password: "", bytes: form };
        for (const page of [0, 1, 2])
          drawPart(engine, documents.page(file, page), {
            whole,
            region: { x: 0, y: 0, ...whole },
            instead: "never",
          });
      }
      return engine.bytes();
    };
    const [first, ...later] = [drawMany(), drawMany(), drawMany()];
    expect(later).toEqual([first, first]);
    // Of eight open documents, the last two pages, one of them with a field.
    expect(open).toEqual({ pages: 8, forms: 8 });
  });

  it("prepare the form only for pages with fields", async () => {
    const documents = new Documents();
    documents.use(await startEngine(() => 67_108_864, documents.read), 67_108_864);
    const file = { id: "form", password: "", bytes: form };
    const [first, second, third] = [0, 1, 2].map((page) => documents.page(file, page));
    expect(second).not.toHaveProperty("form");
    expect(first?.form).toBeGreaterThan(0);
    expect(third?.form).toBe(first?.form);
  });
});
