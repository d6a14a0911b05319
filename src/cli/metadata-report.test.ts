import { expect, test } from "vitest";
import { metadataLines } from "./metadata-report.ts";

test("metadata is shown in short aligned lines", () => {
  const lines = metadataLines({
    exif: {
      image: { Make: "Vitrine", XResolution: [300, 1] },
      gps: {
        GPSLatitude: [
          [48, 1],
          [12, 1],
        ],
      },
      makerNoteBytes: 20,
    },
    iptc: { Keywords: ["one", "two"] },
    xmp: { packet: "", properties: { "dc:title": { de: "Titel", en: "Title" } } },
    icc: {
      description: "Colours",
      colourSpace: "RGB",
      connectionSpace: "XYZ",
      deviceClass: "mntr",
      version: "4.3",
      bytes: 300,
    },
    native: [
      { name: "Comment", value: { base64: "AAAA" } },
      { name: "TileOffsets", count: 12 },
      { name: "ImageWidth", value: 10, directory: 1 },
    ],
    problems: ["Expected something else."],
  });
  expect(lines).toEqual([
    "exif",
    "  Make         Vitrine",
    "  XResolution  300, 1",
    "exif gps",
    "  GPSLatitude  (48, 1), (12, 1)",
    "exif         a maker note of 20 bytes, omitted",
    "iptc",
    "  Keywords  one, two",
    "xmp",
    "  dc:title  de: Titel; en: Title",
    "icc",
    "  description      Colours",
    "  colourSpace      RGB",
    "  connectionSpace  XYZ",
    "  deviceClass      mntr",
    "  version          4.3",
    "  bytes            300",
    "native",
    "  Comment              3 bytes",
    "  TileOffsets          12 values",
    "  further directories  1 field",
    "problem      Expected something else.",
  ]);
});

test("nothing is shown for a file without metadata", () => {
  expect(metadataLines({ problems: [] })).toEqual([]);
});

test("control characters and long values from a file are neutralised", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [
      `own:${n}\x1b[2J`,
      `\x1b]0;title\x07\u202e${"x".repeat(500)}`,
    ]),
  );
  const lines = metadataLines({ xmp: { packet: "", properties }, problems: ["\x1b[31m"] });
  for (const character of ["\x1b", "\x07", "\u202e"])
    expect(lines.join("\n")).not.toContain(character);
  expect(lines.length).toBeLessThan(50);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  expect(lines.at(-2)).toBe("  and 460 more; --json shows them");
});
