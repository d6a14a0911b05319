import { expect, test } from "vitest";
import { metadataGroups, textOf } from "./metadata-rows.ts";

test("shows existing groups only", () => {
  const groups = metadataGroups({
    exif: { photo: { FNumber: 8, ExposureTime: "1/60" } },
    native: [
      { name: "Software", value: "A scanner", directory: 1 },
      { name: "Comment", value: "Bonjour", language: "fr" },
      { name: "StripOffsets", count: 120 },
      { name: "MakerNote", bytes: 4096 },
    ],
    problems: [],
  });
  expect(groups).toEqual([
    {
      title: "Exif: photograph",
      rows: [
        { name: "FNumber", value: "8" },
        { name: "ExposureTime", value: "1/60" },
      ],
    },
    {
      title: "Of the format",
      rows: [
        { name: "Software in directory 1", value: "A scanner" },
        { name: "Comment (fr)", value: "Bonjour" },
        { name: "StripOffsets", value: "120 values" },
        { name: "MakerNote", value: "4096 bytes" },
      ],
    },
  ]);
  expect(metadataGroups({ problems: [] })).toEqual([]);
});

test("puts lists and structures on one line", () => {
  expect(textOf(["map", 2, { en: "A map", de: ["Karte", "Plan"] }])).toBe(
    "map, 2, en: A map; de: Karte, Plan",
  );
});
