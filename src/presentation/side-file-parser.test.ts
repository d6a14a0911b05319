import { expect, test } from "vitest";
import { arranged } from "./side-file.ts";
import { parseSideFile } from "./side-file-parser.ts";

const whole = `
label: {fr: Cartes de Paris, en: [Maps of Paris]}
summary: Two centuries of streets.
metadata:
  - {label: Date, value: 1897-05-01}
  - label: {en: Creator}
    value: [Ada, Ben]
rights: https://creativecommons.org/publicdomain/mark/1.0/deed.en
requiredStatement: City archive
provider:
  id: https://archive.example.org/
  label: City archive
  homepage: https://archive.example.org/about
  logo: https://archive.example.org/logo.png
homepage: {id: "https://archive.example.org/maps", label: Maps}
behavior: paged
viewingDirection: right-to-left
order: [cover.tif, 2.tif]
images:
  cover.tif: {label: Cover, hide: false}
  draft.tif: {hide: true}
  book.pdf:
    metadata: {Pages: 12}
    pages: [3, {page: 1, label: Title}]
`;

test("everything that a side file may say is read, all of it as text", () => {
  const { file, faults } = parseSideFile(whole);
  expect(faults).toEqual([]);
  expect(file).toEqual({
    label: { fr: ["Cartes de Paris"], en: ["Maps of Paris"] },
    summary: { none: ["Two centuries of streets."] },
    metadata: [
      { label: { none: ["Date"] }, value: { none: ["1897-05-01"] } },
      { label: { en: ["Creator"] }, value: { none: ["Ada", "Ben"] } },
    ],
    rights: "http://creativecommons.org/publicdomain/mark/1.0/",
    requiredStatement: { label: { en: ["Attribution"] }, value: { none: ["City archive"] } },
    provider: {
      id: "https://archive.example.org/",
      label: { none: ["City archive"] },
      homepage: { id: "https://archive.example.org/about", label: { en: ["Homepage"] } },
      logo: "https://archive.example.org/logo.png",
    },
    homepage: { id: "https://archive.example.org/maps", label: { none: ["Maps"] } },
    behavior: "paged",
    viewingDirection: "right-to-left",
    order: ["cover.tif", "2.tif"],
    images: new Map<string, unknown>([
      ["cover.tif", { label: { none: ["Cover"] } }],
      ["draft.tif", { hide: true }],
      [
        "book.pdf",
        {
          metadata: [{ label: { none: ["Pages"] }, value: { none: ["12"] } }],
          pages: [{ page: 3 }, { page: 1, label: { none: ["Title"] } }],
        },
      ],
    ]),
  });
});

test("JSON is read as well, indented by tabs or not", () => {
  const json = JSON.stringify({ label: "Maps", images: { "a.tif": { hide: true } } }, null, "\t");
  expect(parseSideFile(json)).toEqual({
    file: { label: { none: ["Maps"] }, images: new Map([["a.tif", { hide: true }]]) },
    faults: [],
  });
});

test.each([
  ["lable: Maps", "line 1: side file: expected one of label, "],
  ["label: A\nlabel: B", "line 2: side file: expected each key once, got 'label' again"],
  [
    "label: A\nrights: CC BY",
    "line 2: side file rights: expected the URI of a Creative Commons licence",
  ],
  ["homepage: javascript:alert(1)", "line 1: side file homepage: expected a URL"],
  ["label: &a Maps\nsummary: *a", "line 2: side file summary: expected a text"],
  ["behavior: pages", "line 1: expected one of individuals, paged"],
  ["images:\n  a.pdf:\n    pages: [0]", "line 3: a.pdf pages: expected a page number"],
  ["images: [a.tif]", "line 1: images: expected keys with values"],
  ["label: !!js/function 'x'", "line 1: Unresolved tag"],
  ["label: [", "line 1: "],
  ["label: {english language: A}", "line 1: side file label: expected a language"],
  ["metadata:\n- {label: A}", "line 2: side file metadata: expected a label and a value"],
  ["just text", "line 1: side file: expected keys with values"],
])("%j is reported with its line", (text, fault) => {
  const { faults } = parseSideFile(text);
  expect(faults[0]).toContain(fault);
});

test("what is faulty is left out, and the rest counts", () => {
  const { file, faults } = parseSideFile("label: Maps\nbehavior: x\nsummary: ''\nnew: 1");
  expect(file).toEqual({ label: { none: ["Maps"] } });
  expect(faults).toHaveLength(3);
});

test("hostile files cost little and end in faults", () => {
  expect(parseSideFile("[".repeat(200_000)).faults.length).toBeGreaterThan(0);
  const laughs = `a: &a [x]\nb: &b [*a,*a]\nlabel: [*b,*b]`;
  expect(parseSideFile(laughs).faults.length).toBeGreaterThan(0);
  expect(parseSideFile("a: 1\n".repeat(3_000)).faults.length).toBeLessThanOrEqual(20);
  expect(parseSideFile("__proto__: {hide: true}").faults[0]).toContain("got '__proto__'");
});

test("a file that is too deep is not parsed, which could exhaust the stack", () => {
  const tooDeep = /expected at most 100 lists and maps/;
  for (const nested of ["- ", "? ", "- ? ", "-\t"])
    expect(parseSideFile(`label: x\n${nested.repeat(1_000)}`).faults[0]).toMatch(tooDeep);
  const steps = Array.from({ length: 700 }, (_, n) => `${" ".repeat(n)}a:`).join("\n");
  expect(parseSideFile(steps).faults[0]).toMatch(tooDeep);
  expect(parseSideFile(`summary: x ${"- ".repeat(1_000)}`).file.summary).toBeDefined();
});

test("images come in the order of the side file, the others after them, hidden ones not at all", () => {
  const names = ["a", "b", "c", "d"].map((name) => ({ name }));
  const images = new Map([["b", { hide: true as const }]]);
  expect(arranged(names, { order: ["d", "x", "a"], images })).toEqual([
    { name: "d" },
    { name: "a" },
    { name: "c" },
  ]);
});
