import { expect, test } from "vitest";
import { embeddedDescription } from "./embedded.ts";
import { rightsUri } from "./rights.ts";
import { plainText } from "./texts.ts";

test("XMP comes before IPTC, and IPTC before Exif", () => {
  expect(
    embeddedDescription({
      xmp_elements: { "dc:title": ["A map"], "dc:rights": ["© Ada"] },
      iptc: [{ ObjectName: "Not this" }, { ByLine: "Ada" }, { ByLine: "Ben" }],
      exif: {
        tagSet: "Baseline TIFF",
        fields: {
          Artist: "Not this",
          ImageDescription: "Streets of Paris",
          EXIFIFD: { tagSet: "EXIF", fields: { DateTimeOriginal: "1897:01:02 03:04:05" } },
        },
      },
    }),
  ).toEqual({
    label: { none: ["A map"] },
    summary: { none: ["Streets of Paris"] },
    metadata: [
      { label: { en: ["Creator"] }, value: { none: ["Ada", "Ben"] } },
      { label: { en: ["Date"] }, value: { none: ["1897:01:02 03:04:05"] } },
    ],
    requiredStatement: { label: { en: ["Rights"] }, value: { none: ["© Ada"] } },
  });
});

test("a licence is `rights` and no statement", () => {
  const uri = "https://creativecommons.org/licenses/by-sa/4.0/deed.fr";
  expect(embeddedDescription({ xmp_elements: { "dc:rights": [uri] } })).toEqual({
    rights: "http://creativecommons.org/licenses/by-sa/4.0/",
  });
});

test("nothing comes of an image without metadata", () => {
  expect(embeddedDescription({ xmp_elements: {} })).toEqual({});
});

test.each([
  ["http://creativecommons.org/licenses/by/4.0/", "http://creativecommons.org/licenses/by/4.0/"],
  [
    "https://creativecommons.org/licenses/by-nc/3.0/de/",
    "http://creativecommons.org/licenses/by-nc/3.0/de/",
  ],
  [
    "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
    "http://creativecommons.org/publicdomain/zero/1.0/",
  ],
  [
    "https://rightsstatements.org/page/InC-EDU/1.0/?language=en",
    "http://rightsstatements.org/vocab/InC-EDU/1.0/",
  ],
  ["https://example.org/licenses/by/4.0/", undefined],
  ["https://creativecommons.org.example.org/licenses/by/4.0/", undefined],
  ["CC BY 4.0", undefined],
])("the licence %s is written as %s", (text, uri) => {
  expect(rightsUri(text)).toBe(uri);
});

test.each([
  ["  A map\u0000\u0007 ", "A map"],
  ["<script>alert(1)</script>", "alert(1)"],
  ["<img src=x onerror=alert(1)", undefined],
  ["1 < 2", "1 < 2"],
  ["\u0000", undefined],
])("the text %j is plain as %j", (value, plain) => {
  expect(plainText(value)).toBe(plain);
});

test("long texts are truncated between characters, and values of a kind are few", () => {
  expect(plainText(`${"a".repeat(1_999)}😀${"b".repeat(9)}`)).toBe(`${"a".repeat(1_999)}…`);
  const many = Array.from({ length: 99 }, (_, at) => `subject ${at}`);
  const { metadata } = embeddedDescription({ xmp_elements: { "dc:subject": many } });
  expect(metadata?.[0]?.value["none"]).toHaveLength(20);
});
