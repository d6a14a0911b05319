import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, it, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusPath } from "../../../test/corpus.ts";
import { drawnPage, guardedBy, pdfOf, streamOf } from "../../../test/pdf.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { Config } from "../../config/store.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { readMetadata } from "../embedded-metadata.ts";
import type { Metadata } from "../metadata/values.ts";
import { Resources } from "../pool/resources.ts";
import { streamOfCatalog } from "./written.ts";

const resources = new Resources(new Config({ "processor.pdf.password": "right" }));
afterAll(() => resources.close());

const { signal } = new AbortController();
const read = (reader: RangeReader): Promise<Metadata> =>
  readMetadata(reader, { format: "pdf" }, signal, { resources });

const packet = (creator: string): string =>
  `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="${creator}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const xml = "/Type/Metadata/Subtype/XML";

/** A document whose XMP is object 3, and its information object 4. */
const documentWith = (
  xmp: string,
  {
    catalog = "/Metadata 3 0 R",
    more = [],
    trailer = "",
  }: { catalog?: string; more?: readonly string[]; trailer?: string } = {},
): Buffer =>
  pdfOf([drawnPage], {
    objects: [
      xmp,
      "<</Title(Maps \\(of old\\))/Author<FEFF00C9006D0069006C0065>/CreationDate(D:20200102030405Z)/Other(x)>>",
      ...more,
    ],
    catalog,
    trailer: `/Info 4 0 R${trailer}`,
  });

const native = [
  { name: "Title", value: "Maps (of old)" },
  { name: "Author", value: "Émile" },
  { name: "CreationDate", value: "D:20200102030405Z" },
];

describe("metadata of a PDF", () => {
  it("includes document information and XMP, from a local file or not", async () => {
    const document = documentWith(streamOf(packet("Plain"), xml));
    const path = join(await temporaryFolder(), "a.pdf");
    await writeFile(path, document);
    for (const reader of [memoryReader(document), await fileReaderOf(path)])
      expect(await read(reader)).toEqual({
        native,
        xmp: { packet: packet("Plain"), properties: { "xmp:CreatorTool": "Plain" } },
        problems: [],
      });
  });

  it("includes Flate-compressed XMP with an indirect length, and no other objects' XMP", async () => {
    const flate = deflateSync(packet("Packed")).toString("latin1");
    const more = [
      streamOf(packet("Of a picture"), xml),
      String(flate.length),
      `<</Length 6 0 R${xml}/Filter[/FlateDecode]>>\nstream\n${flate}\nendstream`,
    ];
    const catalog =
      "/Lang(\\) /Metadata 5 0 R)/PieceInfo<</A<</Metadata 5 0 R/B[[<<>>]]>>>>/Metadata 7 0 R/Names<</Metadata 5 0 R>>";
    const { xmp, problems } = await read(
      memoryReader(documentWith(streamOf(packet("Of another"), xml), { catalog, more })),
    );
    expect(xmp?.properties).toEqual({ "xmp:CreatorTool": "Packed" });
    expect(problems).toEqual([]);
  });

  it("is read from a protected document only with the configured password", async () => {
    for (const [password, found] of [
      ["right", { xmp: { properties: { "xmp:CreatorTool": "Guarded" } }, problems: [] }],
      ["wrong", undefined],
    ] as const) {
      const { trailer, sealed } = guardedBy(password);
      const document = documentWith(streamOf(sealed(3, packet("Guarded")), xml), { trailer });
      const reading = read(memoryReader(document));
      if (found) expect(await reading).toMatchObject(found);
      else await expect(reading).rejects.toMatchObject({ failure: "denied" });
    }
  });

  it.each([
    ["there is none", streamOf("", "/Type/XObject"), { catalog: "" }, []],
    ["the catalog names no stream", "<</Subtype/XML>>", {}, []],
    [
      "it is too much",
      streamOf(
        deflateSync(Buffer.alloc(5_000_000, 32)).toString("latin1"),
        `${xml}/Filter/FlateDecode`,
      ),
      {},
      [/at most 4194304 bytes/],
    ],
    [
      "its Flate is damaged",
      streamOf("x\x9cno Flate", `${xml}/Filter/FlateDecode`),
      {},
      [/it is skipped/],
    ],
    [
      "it is in another filter",
      streamOf(Buffer.from(packet("Hex")).toString("hex"), `${xml}/Filter/ASCIIHexDecode`),
      {},
      [/neither plain nor Flate-compressed/],
    ],
  ] as const)(
    "lacks XMP when %s, but includes everything else",
    async (_, xmp, rest, sentences) => {
      const told = await read(memoryReader(documentWith(xmp, rest)));
      expect(told).not.toHaveProperty("xmp");
      expect(told.native).toEqual(native);
      expect(told.problems).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)));
    },
  );

  it("is empty without a PDF engine, and has a problem for a corrupt document", async () => {
    const document = documentWith(streamOf(packet("Plain"), xml));
    expect(await readMetadata(memoryReader(document), { format: "pdf" }, signal)).toEqual({
      problems: [],
    });
    const { problems } = await read(memoryReader(Buffer.from("%PDF-1.7\nno more")));
    expect(problems).toEqual([expect.stringMatching(/Corrupt PDF document/)]);
  });
});

it("the metadata stream of a corrupt document is read or not found", () => {
  const sound = documentWith(streamOf(packet("Plain"), xml));
  expect(streamOfCatalog(sound, "Metadata")?.toString()).toBe(packet("Plain"));
  let found = 0;
  for (let time = 0; time < 3_000; time++) {
    const spoilt = Buffer.from(sound);
    const [count = 0, ...at] = randomBytes(20);
    for (let n = 0; n < count % 8; n++) {
      const place = ((at[n * 2] ?? 0) * 256 + (at[n * 2 + 1] ?? 0)) % spoilt.length;
      spoilt[place] = "<>[]()/R019 \n%"[(at[n + 10] ?? 0) % 14]?.charCodeAt(0) ?? 0;
    }
    const stream = streamOfCatalog(spoilt.subarray(0, time % 3 ? undefined : at[0]), "Metadata");
    if (stream) found++;
  }
  expect(found).toBeGreaterThan(100);
  expect(found).toBeLessThan(3_000);
});

test.skipIf(!corpusIsHere)(
  "XMP is read from real documents, including protected ones",
  async () => {
    for (const name of ["pdf/pdf-xmp.pdf", "pdf/S2.pdf", "pdf/enc-R3,V2.pdf"]) {
      const file = corpusFiles("pdf").find(({ path }) => path === name);
      if (file === undefined) throw new Error(`Expected ${name}`);
      const { xmp, problems } = await read(await fileReaderOf(corpusPath(file)));
      expect(Object.keys(xmp?.properties ?? {}).length).toBeGreaterThan(1);
      expect(problems).toEqual([]);
    }
  },
);
