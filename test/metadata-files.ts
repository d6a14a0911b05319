import { deflateSync } from "node:zlib";

/** A TIFF field: its tag, its type, number of values, and their bytes in the order of the file. */
export type TiffEntry = readonly [tag: number, type: number, count: number, bytes: Uint8Array];

/** A directory, and those that its fields lead to, by the tag of the field. */
export interface TiffPart {
  readonly entries: readonly TiffEntry[];
  readonly leads?: Readonly<Record<number, TiffPart>>;
}

/** A number in bytes. */
export const numbered = (value: number, size: number, littleEndian = false): Buffer => {
  const bytes = Buffer.alloc(size);
  if (size === 8)
    littleEndian ? bytes.writeBigUInt64LE(BigInt(value)) : bytes.writeBigUInt64BE(BigInt(value));
  else if (littleEndian) bytes.writeUIntLE(value, 0, size);
  else bytes.writeUIntBE(value, 0, size);
  return bytes;
};

/** A TIFF, or a block of Exif, with a chain of directories. */
export const tiffOf = (
  chain: readonly TiffPart[],
  { littleEndian = false, big = false } = {},
): Buffer => {
  const number = (value: number, size: number): Buffer => numbered(value, size, littleEndian);
  const wide = big ? 8 : 4;
  const sizes = big ? { count: 8, entry: 20, type: 16 } : { count: 2, entry: 12, type: 4 };
  const mark = Buffer.from(littleEndian ? "II" : "MM");
  const header = big
    ? [mark, number(43, 2), number(8, 2), number(0, 2), number(16, 8)]
    : [mark, number(42, 2), number(8, 4)];
  const entryOf = (tag: number, type: number, count: number, value: Uint8Array): Buffer =>
    Buffer.concat([number(tag, 2), number(type, 2), number(count, wide), value]);
  const write = (parts: readonly TiffPart[], at: number): Buffer => {
    const [part, ...others] = parts;
    if (part === undefined) return Buffer.alloc(0);
    const leads = Object.entries(part.leads ?? {});
    const count = part.entries.length + leads.length;
    const tail: Buffer[] = [];
    let end = at + sizes.count + count * sizes.entry + wide;
    const put = (bytes: Buffer): Buffer => {
      const from = end;
      tail.push(bytes);
      end += bytes.length;
      return number(from, wide);
    };
    const rows = part.entries.map(([tag, type, values, bytes]) => {
      const padded = Buffer.alloc(Math.max(wide, bytes.length));
      padded.set(bytes);
      return entryOf(tag, type, values, bytes.length <= wide ? padded : put(padded));
    });
    for (const [tag, lead] of leads)
      rows.push(entryOf(Number(tag), sizes.type, 1, put(write([lead], end))));
    const behind = write(others, end);
    const next = number(others.length > 0 ? end : 0, wide);
    return Buffer.concat([number(count, sizes.count), ...rows, next, ...tail, behind]);
  };
  return Buffer.concat([...header, write(chain, big ? 16 : 8)]);
};

/** A text with a NUL at its end, as a field of type ASCII. */
export const asciiEntry = (tag: number, text: string): TiffEntry => {
  const bytes = Buffer.from(`${text}\0`);
  return [tag, 2, bytes.length, bytes];
};

/** Exif fields as cameras write them: five directories, with a maker note. */
export const exifParts = (littleEndian: boolean): readonly TiffPart[] => {
  const longs = (...values: readonly number[]): Buffer =>
    Buffer.concat(values.map((value) => numbered(value, 4, littleEndian)));
  return [
    {
      entries: [
        asciiEntry(271, "Vitrine"),
        [274, 3, 1, numbered(6, 2, littleEndian)],
        [282, 5, 1, longs(300, 1)],
        asciiEntry(306, "2026:01:02 03:04:05"),
      ],
      leads: {
        34665: {
          entries: [
            [0x829a, 5, 1, longs(10, 2000)],
            [0x9000, 7, 4, Buffer.from("0300")],
            asciiEntry(0x9003, "2026:01:01 00:00:00"),
            [0x9204, 10, 1, longs(0xffffffff, 3)],
            [0x9286, 7, 13, Buffer.from("ASCII\0\0\0hello")],
            [37500, 7, 20, Buffer.alloc(20, 7)],
            [0xc7a1, 7, 5, Buffer.from([1, 2, 3, 4, 5])],
          ],
          leads: { 40965: { entries: [asciiEntry(1, "R98"), [2, 7, 4, Buffer.from("0100")]] } },
        },
        34853: {
          entries: [asciiEntry(1, "N"), [2, 5, 3, longs(48, 1, 12, 1, 3050, 100)]],
        },
      },
    },
    { entries: [[259, 3, 1, numbered(6, 2, littleEndian)]] },
  ];
};

/** A dataset of IIM. */
export const dataset = (record: number, number: number, value: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from([0x1c, record, number]),
    numbered(Buffer.from(value).length, 2),
    Buffer.from(value),
  ]);

/** IPTC in UTF-8, with a headline and two keywords. */
export const iptcBlock = (): Buffer =>
  Buffer.concat([
    dataset(1, 90, "\x1b%G"),
    dataset(2, 0, Uint8Array.of(0, 4)),
    dataset(2, 105, "Gemälde"),
    dataset(2, 25, "eins"),
    dataset(2, 25, "zwei"),
  ]);

/** Image resources of Photoshop with IPTC after another one. */
export const photoshopBlock = (iptc: Uint8Array): Buffer => {
  const resource = (id: number, bytes: Uint8Array): Buffer =>
    Buffer.concat([
      Buffer.from("8BIM"),
      numbered(id, 2),
      Buffer.from([0, 0]),
      numbered(bytes.length, 4),
      bytes,
      Buffer.alloc(bytes.length & 1),
    ]);
  return Buffer.concat([resource(0x03ed, Buffer.alloc(15)), resource(0x0404, iptc)]);
};

/** A packet with all kinds of XMP values; `more` goes into its description. */
export const xmpPacket = (
  more = "",
): string => `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:a="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:own="urn:own" xmlns:stRef="http://ns.adobe.com/xap/1.0/sType/ResourceRef#" xmp:CreatorTool="a &amp; b" own:n="1">
<a:title><rdf:Alt><rdf:li xml:lang="x-default">Title</rdf:li><rdf:li xml:lang="de">Titel</rdf:li></rdf:Alt></a:title>
<a:subject><rdf:Bag><rdf:li>one</rdf:li><rdf:li>tw&#x6f;</rdf:li></rdf:Bag></a:subject>
<own:from rdf:parseType="Resource"><stRef:documentID>7</stRef:documentID></own:from>
<own:short stRef:instanceID="8"/><own:link rdf:resource="https://example.org/"/><own:raw><![CDATA[<&>]]></own:raw>
${more}</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;

/** The properties of `xmpPacket`. */
export const xmpProperties = {
  "xmp:CreatorTool": "a & b",
  "own:n": "1",
  "dc:title": { "x-default": "Title", de: "Titel" },
  "dc:subject": ["one", "two"],
  "own:from": { "stRef:documentID": "7" },
  "own:short": { "stRef:instanceID": "8" },
  "own:link": "https://example.org/",
  "own:raw": "<&>",
};

/** A profile with only a header and a name in two languages. */
export const iccBlock = (): Buffer => {
  const header = Buffer.alloc(128);
  header.set([4, 0x30], 8);
  header.write("mntrRGB XYZ ", 12, "latin1");
  header.write("acsp", 36, "latin1");
  const names = ["Farben", "Colours"].map((name) => Buffer.from(name, "utf16le").swap16());
  const [german = header, english = header] = names;
  const start = 16 + 2 * 12;
  const tag = Buffer.concat([
    Buffer.from("mluc\0\0\0\0"),
    numbered(2, 4),
    numbered(12, 4),
    ...[Buffer.from("deDE"), numbered(german.length, 4), numbered(start, 4)],
    ...[Buffer.from("enUS"), numbered(english.length, 4), numbered(start + german.length, 4)],
    german,
    english,
  ]);
  const table = [numbered(1, 4), Buffer.from("desc"), numbered(144, 4), numbered(tag.length, 4)];
  const profile = Buffer.concat([header, ...table, tag]);
  profile.writeUInt32BE(profile.length, 0);
  return profile;
};

/** A segment of a JPEG. */
export const segment = (marker: number, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const bytes = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
  );
  return Buffer.concat([Buffer.from([0xff, marker]), numbered(bytes.length + 2, 2), bytes]);
};

/** A JPEG of segments alone, up to a scan without data. */
export const jpegOf = (...segments: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    segment(0xda, "\0"),
    Buffer.from([0xff, 0xd9]),
  ]);

/** A JPEG with a block of every kind, its profile in two parts. */
export const jpegWithAll = (): Buffer => {
  const icc = iccBlock();
  return jpegOf(
    segment(0xe0, "JFIF\0\x01\x02\x01\x00\x48\x00\x48\0\0"),
    segment(0xe1, "Exif\0\0", tiffOf(exifParts(true), { littleEndian: true })),
    segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", Buffer.from(xmpPacket())),
    segment(0xe2, "ICC_PROFILE\0\x02\x02", icc.subarray(100)),
    segment(0xe2, "ICC_PROFILE\0\x01\x02", icc.subarray(0, 100)),
    segment(0xed, "Photoshop 3.0\0", photoshopBlock(iptcBlock())),
    segment(0xfe, "a comment"),
  );
};

/** A chunk of a PNG, without its checksum. */
export const chunk = (type: string, ...parts: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([numbered(bytes.length, 4), Buffer.from(type), bytes, Buffer.alloc(4)]);
};

/** A PNG of chunks alone, without checksums. */
export const pngWithAll = (): Buffer => {
  const latin = (text: string): Buffer => Buffer.from(text, "latin1");
  const iptc = photoshopBlock(iptcBlock());
  return Buffer.concat([
    latin("\x89PNG\r\n\x1a\n"),
    chunk("IHDR", Buffer.alloc(13)),
    chunk("iCCP", latin("Colours\0\0"), deflateSync(iccBlock())),
    chunk("eXIf", tiffOf(exifParts(false))),
    chunk("iTXt", latin("XML:com.adobe.xmp\0\0\0\0\0"), Buffer.from(xmpPacket())),
    chunk("tEXt", latin("Author\0Gr\xfcn")),
    chunk("zTXt", latin("Comment\0\0"), deflateSync(latin("packed"))),
    chunk("iTXt", latin("Title\0\x01\0de\0Titel\0"), deflateSync(Buffer.from("Überschrift"))),
    chunk(
      "tEXt",
      latin(`Raw profile type iptc\0\niptc\n ${iptc.length}\n${iptc.toString("hex")}\n`),
    ),
    chunk("tIME", Buffer.from([7, 0xea, 1, 2, 3, 4, 5])),
    chunk("pHYs", numbered(11811, 4), numbered(11811, 4), Buffer.from([1])),
    chunk("IEND"),
  ]);
};

/** A GIF without images: a comment, XMP and a profile. */
export const gifWithAll = (): Buffer => {
  const blocks = (bytes: Buffer): Buffer => {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 255) {
      const part = bytes.subarray(at, at + 255);
      parts.push(Buffer.from([part.length]), part);
    }
    return Buffer.concat([...parts, Buffer.from([0])]);
  };
  const magic = Buffer.from([1, ...Array.from({ length: 256 }, (_, n) => 255 - n), 0]);
  const head = Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from([1, 0, 1, 0, 0x80, 0, 0]),
    Buffer.alloc(6),
  ]);
  return Buffer.concat([
    head,
    Buffer.from([0x21, 0xfe]),
    blocks(Buffer.from("a comment")),
    Buffer.from("\x21\xff\x0bXMP DataXMP", "latin1"),
    Buffer.from(xmpPacket()),
    magic,
    Buffer.from("\x21\xff\x0bICCRGBG1012", "latin1"),
    blocks(iccBlock()),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2]),
    blocks(Buffer.from([0x44, 1])),
    Buffer.from([0x3b]),
  ]);
};

/** A WebP of chunks alone. */
export const webpWithAll = (): Buffer => {
  const part = (type: string, bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(type),
      numbered(bytes.length, 4, true),
      bytes,
      Buffer.alloc(bytes.length & 1),
    ]);
  const body = Buffer.concat([
    part("VP8X", Buffer.alloc(10)),
    part("ICCP", iccBlock()),
    part("ANMF", Buffer.alloc(16)),
    part("ANMF", Buffer.alloc(17)),
    part("EXIF", tiffOf(exifParts(true), { littleEndian: true })),
    part("XMP ", Buffer.from(xmpPacket())),
  ]);
  return Buffer.concat([
    Buffer.from("RIFF"),
    numbered(body.length + 4, 4, true),
    Buffer.from("WEBP"),
    body,
  ]);
};

const box = (type: string, ...parts: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([numbered(bytes.length + 8, 4), Buffer.from(type, "latin1"), bytes]);
};

/** An AVIF without an image: Exif in the file, XMP in the box idat, and a profile. */
export const avifWithAll = (): Buffer => {
  const exif = Buffer.concat([numbered(6, 4), Buffer.from("Exif\0\0"), tiffOf(exifParts(false))]);
  const xmp = Buffer.from(xmpPacket());
  const info = (id: number, rest: string): Buffer =>
    box(
      "infe",
      numbered(0x02000000, 4),
      numbered(id, 2),
      numbered(0, 2),
      Buffer.from(rest, "latin1"),
    );
  const place = (id: number, method: number, offset: number, length: number): Buffer =>
    Buffer.concat([
      ...[numbered(id, 2), numbered(method, 2), numbered(0, 2), numbered(1, 2)],
      ...[numbered(offset, 4), numbered(length, 4)],
    ]);
  const brands = box("ftyp", Buffer.from("avif\0\0\0\0mif1miaf"));
  const meta = (exifAt: number): Buffer =>
    box(
      "meta",
      numbered(0, 4),
      box(
        "iinf",
        numbered(0, 4),
        numbered(2, 2),
        info(1, "Exif\0"),
        info(2, "mime\0application/rdf+xml\0"),
      ),
      box(
        "iloc",
        ...[numbered(0x01000000, 4), numbered(0x4400, 2), numbered(2, 2)],
        ...[place(1, 0, exifAt, exif.length), place(2, 1, 0, xmp.length)],
      ),
      box("iprp", box("ipco", box("colr", Buffer.from("prof"), iccBlock()))),
      box("idat", xmp),
    );
  const exifAt = brands.length + meta(0).length + 8;
  return Buffer.concat([brands, meta(exifAt), box("mdat", exif)]);
};

/** A JP2 without tiles: uuid boxes of every kind, XML, a profile and a comment. */
export const jp2WithAll = (): Buffer => {
  const uuid = (hex: string, bytes: Uint8Array): Buffer =>
    box("uuid", Buffer.from(hex, "hex"), bytes);
  return Buffer.concat([
    box("jP  ", Buffer.from([13, 10, 0x87, 10])),
    box("jp2h", box("colr", Buffer.from([2, 0, 0]), iccBlock())),
    uuid("4a706754696666457869662d3e4a5032", tiffOf(exifParts(false))),
    uuid("be7acfcb97a942e89c71999491e3afac", Buffer.from(xmpPacket())),
    uuid("33c7a4d2b81d4723a0baf1a3e097ad38", iptcBlock()),
    uuid("b14bf8bd083d4b43a5ae8cd7d5a6ce03", Buffer.alloc(9)),
    box("xml ", Buffer.from("<note>öffentlich</note>")),
    box(
      "jp2c",
      Buffer.from([0xff, 0x4f]),
      segment(0x64, "\0\x01made by a test"),
      segment(0x90, "\0"),
    ),
  ]);
};

/** A TIFF of two directories whose first one has blocks of every kind. */
export const tiffWithAll = ({ littleEndian = false, big = false } = {}): Buffer => {
  const [first, second] = exifParts(littleEndian);
  const block = (tag: number, type: number, bytes: Buffer): TiffEntry => [
    tag,
    type,
    bytes.length,
    bytes,
  ];
  const number = (tag: number, value: number): TiffEntry => [
    tag,
    4,
    1,
    numbered(value, 4, littleEndian),
  ];
  return tiffOf(
    [
      {
        entries: [
          number(256, 640),
          ...(first?.entries ?? []),
          [273, 4, 1, numbered(8, 4, littleEndian)],
          block(700, 1, Buffer.from(xmpPacket())),
          block(33723, 7, iptcBlock()),
          block(34675, 7, iccBlock()),
        ],
        leads: first?.leads ?? {},
      },
      { entries: [number(256, 320), ...(second?.entries ?? [])] },
    ],
    { littleEndian, big },
  );
};
