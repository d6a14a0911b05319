import { createHash } from "node:crypto";

/** A page of a test document. */
export interface PdfPage {
  /** Left, bottom, right and top, in points; 0 0 120 90. */
  readonly box?: readonly number[];
  /** Further entries of the page's dictionary, as written. */
  readonly entries?: string;
  /** The content, in PDF's operators. */
  readonly content: string;
}

/** An uncompressed PDF document; `objects` are further ones, numbered from 3 on. */
export const pdfOf = (
  pages: readonly PdfPage[],
  {
    objects = [],
    catalog = "",
    trailer = "",
  }: { objects?: readonly string[]; catalog?: string; trailer?: string } = {},
): Buffer => {
  const first = 3 + objects.length;
  const kids = pages.map((_, page) => `${first + page * 2} 0 R`).join(" ");
  const bodies = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    ...objects,
    ...pages.flatMap(({ box = [0, 0, 120, 90], entries = "", content }, page) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[${box.join(" ")}]${entries}/Contents ${first + page * 2 + 1} 0 R>>`,
      streamOf(content),
    ]),
  ];
  let text = "%PDF-1.7\n";
  const offsets = bodies.map((body, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const count = bodies.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<</Size ${count}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
};

/**
 * Password protection of a document (ISO 32000-2, 7.6.4, revision 2): entries of its trailer, and
 * the encryption of its streams, by object number.
 */
export const guardedBy = (password: string) => {
  const padding = Buffer.from(
    "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a",
    "hex",
  );
  const padded = Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const id = Buffer.alloc(16, 7);
  const permissions = Buffer.alloc(4, 0xff);
  const key = md5(padded, owner, permissions, id).subarray(0, 5);
  const user = rc4(key, padding);
  return {
    trailer: `/ID[<${id.toString("hex")}><${id.toString("hex")}>]/Encrypt<</Filter/Standard/V 1/R 2/P -1/O<${owner.toString("hex")}>/U<${user.toString("hex")}>>>`,
    sealed: (object: number, content: string): string => {
      const own = md5(key, Buffer.of(object, object >> 8, object >> 16, 0, 0)).subarray(0, 10);
      return rc4(own, Buffer.from(content, "latin1")).toString("latin1");
    },
  };
};

const md5 = (...parts: readonly Buffer[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("md5")).digest();

/** RC4, which libraries no longer offer. */
const rc4 = (key: Buffer, text: Buffer): Buffer => {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [state[b] ?? 0, state[a] ?? 0];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return text.map((byte) => {
    i = (i + 1) & 255;
    j = (j + (state[i] ?? 0)) & 255;
    swap(i, j);
    return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0);
  }) as Buffer;
};

/** A stream as an object's body. */
export const streamOf = (content: string, entries = ""): string =>
  `<</Length ${content.length}${entries}>>\nstream\n${content}\nendstream`;

/** A rectangle of one colour, in points from the bottom left; red, green and blue from 0 to 1. */
export const rectangle = (colour: string, x: number, y: number, w: number, h: number): string =>
  `${colour} rg ${x} ${y} ${w} ${h} re f\n`;

/** A page of colours, slanted and curved lines, without symmetry: 240.5 x 180.25 points. */
export const drawnPage: PdfPage = {
  box: [0, 0, 240.5, 180.25],
  content: [
    rectangle("0.9 0.8 0.6", 0, 0, 300, 300),
    rectangle("0.1 0.3 0.7", 20.3, 30.7, 70.1, 40.9),
    "1.3 w 0 0.4 0.1 RG 5 5 m 230 170 l S\n",
    "0.4 w 0.6 0 0.1 RG 10 170 m 60 20 180 20 230 150 c S\n",
    "0.2 0.7 0.3 rg 150 40 m 200 60 l 170 90 l f\n",
  ].join(""),
};

/** The same with letters. */
export const writtenPage: PdfPage = {
  ...drawnPage,
  entries: "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>",
  content: `${drawnPage.content}0 g BT /F 23 Tf 31 101 Td (Vitrine) Tj ET
BT /F 7 Tf 30 88 Td (small letters in a row) Tj ET\n`,
};
