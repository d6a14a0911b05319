import { expect, test } from "vitest";
import { metadataKeys } from "./metadata-keys.ts";

const metadata = {
  exif: {
    tagSet: "Baseline TIFF",
    fields: {
      Make: "Vitrine",
      EXIFIFD: {
        tagSet: "EXIF",
        fields: { ExposureTime: { numerator: 1, denominator: 8 }, MakerNote: new Uint8Array(8) },
      },
      GPSIFD: { tagSet: "GPS", fields: { GPSLatitudeRef: "N" } },
    },
  },
  iptc: [{ Keywords: "one" }, { Keywords: "two" }],
  xmp_string: "<rdf:RDF/>",
  xmp_elements: { "dc:title": ["A"], "exif:GPSLatitude": "48,12N", "x:long": "a".repeat(5_000) },
};

test("metadata becomes keys of info.json, without bytes, long texts and locations", () => {
  expect(metadataKeys({ metadata })).toEqual({
    exif: {
      tagSet: "Baseline TIFF",
      fields: {
        Make: "Vitrine",
        EXIFIFD: { tagSet: "EXIF", fields: { ExposureTime: { numerator: 1, denominator: 8 } } },
      },
    },
    iptc: [{ Keywords: "one" }, { Keywords: "two" }],
    xmp: { "dc:title": ["A"] },
  });
});

test("locations are included on request", () => {
  expect(metadataKeys({ metadata }, { location: true })).toMatchObject({
    exif: { fields: { GPSIFD: { fields: { GPSLatitudeRef: "N" } } } },
    xmp: { "exif:GPSLatitude": "48,12N" },
  });
});

test("empty metadata adds no keys, and excess metadata is dropped", () => {
  expect(metadataKeys({ metadata: null })).toEqual({});
  expect(metadataKeys({ metadata: { xmp_elements: {} } })).toEqual({});
  const much = { "dc:subject": Array.from({ length: 20 }, () => "ü".repeat(3_000)) };
  const keys = metadataKeys({ metadata: { ...metadata, xmp_elements: much } });
  expect(Object.keys(keys)).toEqual(["iptc", "exif"]);
});
