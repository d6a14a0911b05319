import { expect, test } from "vitest";
import { withArticle } from "../core/article.ts";
import { registry } from "./registry.ts";

test("the name of every format has the article it is spoken with", () => {
  const names = registry.map(({ facts }) => withArticle(facts.name));
  expect(names.filter((name) => name.startsWith("an "))).toEqual([
    "an AVIF",
    "an XPM",
    "an AVI",
    "an MP4",
    "an MPEG",
    "an SVG",
  ]);
  expect(names.filter((name) => !name.startsWith("an "))).toEqual(
    expect.arrayContaining(["a JPEG", "a HEIC", "a TIFF", "a WebP", "a Flash Video", "a DICOM"]),
  );
});

test("words have their article by their first letter", () => {
  expect(["array", "object", "number", "Canon raw image"].map(withArticle)).toEqual([
    "an array",
    "an object",
    "a number",
    "a Canon raw image",
  ]);
});
