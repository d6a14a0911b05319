import { expect, test } from "vitest";
import { withArticle } from "../core/article.ts";
import { registry } from "./registry.ts";

test("every format name has its spoken article", () => {
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

test("a word's article depends on its first letter", () => {
  expect(["array", "object", "number", "Canon raw image"].map(withArticle)).toEqual([
    "an array",
    "an object",
    "a number",
    "a Canon raw image",
  ]);
});
