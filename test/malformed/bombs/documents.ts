import { deflateSync } from "node:zlib";
import { pdfOf, streamOf } from "../../pdf.ts";
import { slowPdf } from "../slow.ts";
import type { Bomb } from "./bomb.ts";

const svg = (content: string, size = 'width="800" height="600"'): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${content}</svg>`,
  );

/** A document whose page draws `X`, the first of some objects. */
const drawing = (objects: readonly string[], content = "400 0 0 400 0 0 cm /X Do"): Buffer =>
  pdfOf([{ box: [0, 0, 400, 400], entries: "/Resources<</XObject<</X 3 0 R>>>>", content }], {
    objects,
  });

/** Forms, each of which draws the next one ten times. */
const forms = (depth: number): string[] =>
  Array.from({ length: depth }, (_, level) =>
    streamOf(
      level + 1 === depth ? "0 0 1 1 re f" : "/X Do ".repeat(10),
      `/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<${level + 1 === depth ? "" : `/XObject<</X ${level + 4} 0 R>>`}>>`,
    ),
  );

const zeros = (length: number): string => deflateSync(Buffer.alloc(length)).toString("latin1");

export const documentBombs: readonly Bomb[] = [
  { name: "pdf-pattern.pdf", make: () => slowPdf() },
  { name: "pdf-forms.pdf", make: () => drawing(forms(12)) },
  {
    name: "pdf-picture.pdf",
    make: () =>
      drawing([
        streamOf(
          zeros(3_750 * 30_000),
          "/Type/XObject/Subtype/Image/Width 30000/Height 30000/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode",
        ),
      ]),
  },
  {
    name: "pdf-pages.pdf",
    make: () => pdfOf(Array.from({ length: 50_000 }, () => ({ content: "" }))),
    page: 9_999,
  },
  {
    name: "pdf-operators.pdf",
    make: () =>
      pdfOf([
        {
          box: [0, 0, 400, 400],
          content: "0 0 m 400 400 l 7 300 200 9 50 50 c S\n".repeat(400_000),
        },
      ]),
  },
  {
    name: "pdf-shading.pdf",
    make: () =>
      pdfOf(
        [
          {
            box: [0, 0, 4_000, 4_000],
            entries: "/Resources<</Shading<</S 3 0 R>>>>",
            content: "/S sh ".repeat(5_000),
          },
        ],
        {
          objects: [
            "<</ShadingType 3/ColorSpace/DeviceRGB/Coords[9 9 0 2000 2000 3000]/Extend[true true]/Function<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1.7>>>>",
          ],
        },
      ),
  },
  { name: "pdf-deep.pdf", make: () => pdfOf([{ content: "q ".repeat(2_000_000) }]) },
  {
    name: "pdf-names.pdf",
    make: () =>
      pdfOf([{ content: "0 g" }], { catalog: `/A ${"[".repeat(200_000)}${"]".repeat(200_000)}` }),
  },
  {
    name: "svg-turbulence.svg",
    make: () =>
      svg(
        '<filter id="f"><feTurbulence baseFrequency="0.7" numOctaves="1000000"/></filter><rect width="800" height="600" filter="url(#f)"/>',
      ),
  },
  {
    name: "svg-filters.svg",
    make: () =>
      svg(
        `<filter id="f">${'<feGaussianBlur stdDeviation="90"/><feMorphology operator="dilate" radius="90"/>'.repeat(500)}</filter><rect width="800" height="600" filter="url(#f)"/>`,
      ),
  },
  {
    name: "svg-masks.svg",
    make: () =>
      svg(
        `${Array.from({ length: 40 }, (_, n) => `<mask id="m${n}"><rect width="800" height="600" fill="#fff" ${n > 0 ? `mask="url(#m${n - 1})"` : ""}/><rect width="700" height="600" fill="#fff" ${n > 0 ? `mask="url(#m${n - 1})"` : ""}/></mask>`).join("")}<rect width="800" height="600" mask="url(#m39)"/>`,
      ),
  },
  {
    name: "svg-pattern.svg",
    make: () =>
      svg(
        '<pattern id="p" width="0.001" height="0.001" patternUnits="userSpaceOnUse"><path d="M0 0h1v1z"/></pattern><rect width="800" height="600" fill="url(#p)"/>',
      ),
  },
  {
    name: "svg-path.svg",
    make: () =>
      svg(
        `<path stroke="#000" stroke-width="40" stroke-dasharray="0.01" fill="none" d="M0 0${"L800 600L0 300".repeat(200_000)}"/>`,
      ),
  },
  {
    name: "svg-elements.svg",
    make: () => svg('<circle cx="400" cy="300" r="300" opacity="0.5"/>'.repeat(300_000)),
  },
  {
    name: "svg-huge.svg",
    make: () => svg('<rect width="9e9" height="9e9"/>', 'width="30000" height="30000"'),
  },
  {
    name: "svg-text.svg",
    make: () => svg(`<text font-size="9">${"&#x5d0;a&#x301;".repeat(500_000)}</text>`),
  },
];
