import { expect, test } from "vitest";
import { asciiEntry, dataset, numbered, tiffOf } from "../../../test/metadata-files.ts";
import { readXml } from "../../core/xml.ts";
import { readExif } from "./exif.ts";
import { Findings } from "./findings.ts";
import { readIcc } from "./icc-profile.ts";
import { readIptc } from "./iptc.ts";
import { readXmp } from "./xmp.ts";

const exifOf = (...entries: Parameters<typeof tiffOf>[0][number]["entries"][number][]) =>
  readExif(tiffOf([{ entries }], { littleEndian: true }), new Findings());

test("Exif numbers of every type keep their values", async () => {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(Number.NaN);
  const float = Buffer.alloc(4);
  float.writeFloatLE(0.5);
  const { image } = await exifOf(
    [50001, 8, 2, Buffer.from([0xff, 0xff, 1, 0])],
    [50002, 11, 1, float],
    [50003, 12, 1, double],
    [50004, 16, 1, numbered(2 ** 40, 8, true)],
    [50005, 17, 1, Buffer.alloc(8, 0x7f)],
    [50006, 5, 1, Buffer.alloc(8)],
    [50007, 6, 1, Buffer.from([0x80])],
  );
  expect(image).toEqual({
    Tag50001: [-1, 1],
    Tag50002: 0.5,
    Tag50003: "NaN",
    Tag50004: 2 ** 40,
    Tag50005: "9187201950435737471",
    Tag50006: [0, 0],
    Tag50007: -128,
  });
});

test("Exif text is decoded in its stated encoding", async () => {
  const { image } = await exifOf(
    [0x9286, 7, 14, Buffer.concat([Buffer.from("UNICODE\0"), Buffer.from("äöü", "utf16le")])],
    [33432, 2, 10, Buffer.from("one\0two \0\0")],
    [0x9c9b, 1, 6, Buffer.from("日本\0", "utf16le")],
    [270, 2, 4, Buffer.from("Gr\xfc\0", "latin1")],
    [0xa436, 129, 4, Buffer.from("本\0")],
    asciiEntry(271, "__proto__"),
  );
  expect(image).toEqual({
    UserComment: "äöü",
    Copyright: ["one", "two "],
    XPTitle: "日本",
    ImageDescription: "Grü",
    ImageTitle: "本",
    Make: "__proto__",
  });
});

test("unreadable Exif fields are reported by name and the others returned", async () => {
  const block = tiffOf(
    [
      {
        entries: [
          asciiEntry(271, "Vitrine"),
          [272, 2, 5_000_000, Buffer.alloc(8)],
          [305, 99, 1, Buffer.alloc(4)],
          [306, 2, 400, Buffer.alloc(8)],
        ],
      },
    ],
    { littleEndian: true },
  );
  const findings = new Findings();
  expect(await readExif(block, findings)).toEqual({ image: { Make: "Vitrine" } });
  expect(findings.problems).toEqual([
    "The field Model is too large (5000000 bytes) and is skipped.",
    "Unknown field type 99 for Software.",
    "The 400 bytes of DateTime lie outside the file.",
  ]);
});

test.each([
  { set: "\x1b%G", bytes: Buffer.from("ł"), says: "ł", name: "UTF-8" },
  { set: "\x1b.B", bytes: Buffer.from([0xb3]), says: "ł", name: "ISO 8859-2" },
  { set: "\x1b-A", bytes: Buffer.from([0x80, 0xe9]), says: "\x80é", name: "ISO 8859-1" },
  { set: undefined, bytes: Buffer.from([0xe9]), says: "é", name: undefined },
  { set: undefined, bytes: Buffer.from("é"), says: "é", name: undefined },
])("IPTC is decoded in its character set: $name", ({ set, bytes, says, name }) => {
  const block = Buffer.concat([
    ...(set === undefined ? [] : [dataset(1, 90, set)]),
    dataset(2, 5, bytes),
  ]);
  expect(readIptc(block, new Findings())).toEqual({
    ...(name !== undefined && { CodedCharacterSet: name }),
    ObjectName: says,
  });
});

test("IPTC may have long, unknown or repeated datasets and bytes swapped in fours", () => {
  const long = Buffer.concat([
    Buffer.from([0x1c, 2, 120, 0x80, 4]),
    numbered(3, 4),
    Buffer.from("abc"),
  ]);
  const block = Buffer.concat([
    long,
    dataset(2, 231, "x"),
    dataset(2, 90, "a"),
    dataset(2, 90, "b"),
  ]);
  const wanted = { "Caption-Abstract": "abc", "2:231": "x", City: ["a", "b"] };
  expect(readIptc(block, new Findings())).toEqual(wanted);
  const padded = Buffer.concat([block, Buffer.alloc((4 - (block.length % 4)) % 4)]);
  expect(readIptc(Buffer.from(padded).swap32(), new Findings())).toEqual(wanted);
});

test("truncated IPTC is read up to the damage", () => {
  const findings = new Findings();
  const block = Buffer.concat([dataset(2, 90, "a"), Buffer.from([0x1c, 2, 105, 0x10, 0, 1])]);
  expect(readIptc(block, findings)).toEqual({ City: "a" });
  expect(findings.problems).toEqual(["Truncated IPTC dataset 2:105: expected 4096 bytes."]);
});

test("XMP in UTF-16 is read", async () => {
  const text = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:d="urn:d" d:a="ä"/></rdf:RDF>`;
  const xmp = await readXmp(Buffer.from(text, "utf16le").swap16(), undefined, new Findings());
  expect(xmp).toEqual({ packet: text, properties: { "d:a": "ä" } });
});

test("XMP with a document type is rejected without expanding entities", async () => {
  const findings = new Findings();
  const packet = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>`;
  expect(await readXmp(Buffer.from(packet), undefined, findings)).toEqual({
    packet,
    properties: {},
  });
  expect(findings.problems).toEqual(["XMP with a document type declaration is not accepted."]);
});

test.each([
  ["<a>", "unclosed tag: a"],
  ["<a></b>", "unexpected close tag"],
  ["</a>", "unmatched closing tag: a"],
  ["<a b='1' b='2'/>", "duplicate attribute: b"],
  ["<a b=1/>", "unquoted attribute value"],
  ["<a b='<'/>", "disallowed character"],
  ["<a>&other;</a>", "undefined entity"],
  ["<a>&#0;</a>", "malformed character entity"],
  ["<a>&#xd800;</a>", "malformed character entity"],
  ["<a>& b</a>", "unclosed tag: a"],
  ["<p:a/>", 'unbound namespace prefix: "p"'],
  ["<a><!-- </a>", "unclosed tag: a"],
  ["text<a/>", "text data outside of root node"],
  ["< a/>", "disallowed character in tag name"],
  [`${"<a>".repeat(70)}${"</a>".repeat(70)}`, "nested at most 64 deep"],
  [`<a>${"<b/>".repeat(50_000)}</a>`, "at most 50000 nodes"],
])("malformed or oversized XML is rejected: %.20s", (text, says) => {
  expect(() => readXml(text)).toThrow(says);
});

test("long whitespace runs and unclosed quotes are parsed in linear time", () => {
  const run = " ".repeat(1_000_000);
  expect(readXml(`<a${run}b='x'${run}>${run}</a>`).text).toBe(run);
  expect(() => readXml(`<a b="${run}`)).toThrow("unexpected end");
});

test("the name of a version 2 ICC profile is read, and a truncated profile is rejected", () => {
  const profile = Buffer.alloc(200);
  profile[8] = 2;
  profile.write("scnrGRAYLab ", 12, "latin1");
  profile.write("acsp", 36, "latin1");
  profile.writeUInt32BE(1, 128);
  profile.write("desc", 132, "latin1");
  profile.writeUInt32BE(144, 136);
  profile.writeUInt32BE(50, 140);
  profile.write("desc", 144, "latin1");
  profile.writeUInt32BE(6, 152);
  profile.write("Dots!\0", 156, "latin1");
  expect(readIcc(profile)).toEqual({
    description: "Dots!",
    colourSpace: "GRAY",
    connectionSpace: "Lab",
    deviceClass: "scnr",
    version: "2.0",
    bytes: 200,
  });
  expect(() => readIcc(profile.subarray(0, 100))).toThrow("invalid header");
});
