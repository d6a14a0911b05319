import { deflateSync, gzipSync } from "node:zlib";
import sharp from "sharp";
import { pdfOf, streamOf } from "../pdf.ts";
import { slowPdf } from "./slow.ts";

/** Where hostile files try to send the server. */
export interface Lures {
  /** Of an HTTP server, with a slash at its end. */
  readonly url: string;
  /** A file that must not be read. */
  readonly path: string;
}

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
};

const text = (value: string): Buffer => Buffer.from(value, "latin1");

/** With a wrong checksum: a decoder may reject the file for that, or ignore it. */
const chunk = (type: string, data: Uint8Array): Buffer =>
  Buffer.concat([u32(data.length), text(type), data, u32(0)]);

const png = (width: number, height: number, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([
    text("\x89PNG\r\n\x1a\n"),
    chunk("IHDR", Buffer.concat([u32(width, height), Buffer.of(1, 0, 0, 0, 0)])),
    ...parts,
    chunk("IEND", Buffer.alloc(0)),
  ]);

/**
 * A TIFF of one directory, little-endian; each field is its tag, its type, its count and its value.
 */
const tiff = (fields: readonly (readonly number[])[], next = 0): Buffer => {
  const bytes = Buffer.alloc(8 + 2 + fields.length * 12 + 4);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(fields.length, 8);
  for (const [at, [tag = 0, type = 0, count = 0, value = 0]] of fields.entries()) {
    bytes.writeUInt16LE(tag, 10 + at * 12);
    bytes.writeUInt16LE(type, 12 + at * 12);
    bytes.writeUInt32LE(count, 14 + at * 12);
    bytes.writeUInt32LE(value, 18 + at * 12);
  }
  bytes.writeUInt32LE(next, bytes.length - 4);
  return bytes;
};

/** Fields of a grey image of 8 bits. */
const grey = (width: number, height: number): number[][] => [
  [256, 4, 1, width],
  [257, 4, 1, height],
  [258, 3, 1, 8],
  [259, 3, 1, 1],
  [262, 3, 1, 1],
];

const svg = (content: string, before = ""): Buffer =>
  Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="60">${content}</svg>`,
  );

/** Each `use` draws the one before ten times. */
const nestedUses = (): string => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0
      ? '<g id="l0"><path d="M0 0h9v9z"/></g>'
      : `<g id="l${level}">${`<use xlink:href="#l${level - 1}"/>`.repeat(10)}</g>`,
  );
  return `<defs>${levels.join("")}</defs><use xlink:href="#l11"/>`;
};

const entities = (): string => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? '<!ENTITY e0 "ha">' : `<!ENTITY e${level} "${`&e${level - 1};`.repeat(10)}">`,
  );
  return `<!DOCTYPE svg [${levels.join("")}]>`;
};

/**
 * Small files with false claims, loops, bombs, truncation or external references, by the names they
 * are served under.
 */
export const hostileFiles = async ({ url, path }: Lures): Promise<Record<string, Buffer>> => {
  const drawing = sharp({
    create: {
      width: 300,
      height: 200,
      channels: 3,
      background: "#357",
      noise: { type: "gaussian", mean: 90, sigma: 40 },
    },
  });
  const jpeg = await drawing.clone().jpeg().toBuffer();
  const webp = await drawing.clone().webp().toBuffer();
  const gif = await drawing.clone().gif().toBuffer();
  const avif = await drawing.clone().resize(64, 48).avif({ effort: 0 }).toBuffer();
  const whole = await drawing.clone().png().toBuffer();
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  const claiming = Buffer.from(jpeg);
  claiming.writeUInt16BE(65_500, frame + 5);
  claiming.writeUInt16BE(65_500, frame + 7);
  const emptyGif = Buffer.from(gif);
  emptyGif.writeUInt16LE(65_535, 6);
  emptyGif.writeUInt16LE(65_535, 8);
  const rows = deflateSync(Buffer.alloc(((20_000 >> 3) + 1) * 20_000));
  const drawn = (operators: string, objects: readonly string[], entry: string): Buffer =>
    pdfOf([{ entries: `/Resources<<${entry}>>`, content: operators }], { objects });
  return {
    "empty.png": Buffer.alloc(0),
    "text.jpg": text("no picture at all\n"),
    "png-claims.png": png(0x7fff_ffff, 0x7fff_ffff, chunk("IDAT", deflateSync(Buffer.alloc(9)))),
    "png-bomb.png": png(20_000, 20_000, chunk("IDAT", rows)),
    "png-profile-bomb.png": png(
      8,
      8,
      chunk("iCCP", Buffer.concat([text("p\0\0"), deflateSync(Buffer.alloc(50_000_000))])),
    ),
    "png-broken-off.png": whole.subarray(0, whole.length >> 1),
    "png-and-svg.png": Buffer.concat([whole.subarray(0, 40), svg(`<image xlink:href="${url}a"/>`)]),
    "jpeg-claims.jpg": claiming,
    "jpeg-broken-off.jpg": jpeg.subarray(0, jpeg.length >> 1),
    "jpeg-start-only.jpg": Buffer.of(0xff, 0xd8, 0xff),
    "gif-large-canvas.gif": emptyGif,
    "gif-broken-off.gif": gif.subarray(0, gif.length >> 1),
    "webp-claims.webp": Buffer.concat([
      webp.subarray(0, 12),
      text("VP8X"),
      Buffer.of(10, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255),
    ]),
    "webp-broken-off.webp": webp.subarray(0, webp.length >> 1),
    "avif-broken-off.avif": avif.subarray(0, avif.length >> 1),
    "tiff-loop.tif": tiff([...grey(100, 100), [273, 4, 1, 8], [279, 4, 1, 10_000]], 8),
    "tiff-claims.tif": tiff([...grey(0xffff_ffff, 0xffff_ffff), [273, 4, 1, 8], [279, 4, 1, 9]]),
    "tiff-strips.tif": tiff([...grey(60_000, 60_000), [273, 4, 0xffff_ffff, 8], [278, 4, 1, 1]]),
    "tiff-tiles-of-nothing.tif": tiff([...grey(60_000, 60_000), [322, 3, 1, 0], [323, 3, 1, 0]]),
    "tiff-tiny-tiles.tif": tiff([
      ...grey(60_000, 60_000),
      [322, 3, 1, 1],
      [323, 3, 1, 1],
      [324, 4, 1, 8],
      [325, 4, 1, 1],
    ]),
    "jp2-claims.j2k": Buffer.concat([
      Buffer.of(0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0),
      u32(0xffff_ffff, 0xffff_ffff, 0, 0, 1, 1, 0, 0),
      Buffer.of(0, 1, 7, 1, 1, 0xff, 0xd9),
    ]),
    "bmp-claims.bmp": Buffer.concat([
      text("BM"),
      Buffer.alloc(12),
      Buffer.of(40, 0, 0, 0, 255, 255, 255, 127, 255, 255, 255, 127, 1, 0, 24, 0),
      Buffer.alloc(24),
    ]),
    "xpm-claims.xpm": text('/* XPM */\nstatic char *x[] = {\n"1000000 1000000 2000000000 8",\n'),
    "dicom-only-a-mark.dcm": Buffer.concat([Buffer.alloc(128), text("DICM")]),
    "heic-claims.heic": Buffer.concat([
      u32(24),
      text("ftypheic"),
      u32(0),
      text("mif1heic"),
      u32(0xffff_ffff),
      text("meta"),
    ]),
    "jxl-start-only.jxl": Buffer.of(0xff, 0x0a),
    "video-start-only.mp4": Buffer.concat([
      u32(24),
      text("ftypisom"),
      u32(0),
      text("isommp42"),
      u32(8),
      text("moov"),
    ]),
    "playlist.mp4": text(
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}video\n#EXT-X-ENDLIST\n`,
    ),
    "concat.mov": text(`ffconcat version 1.0\nfile '${path}'\nfile '${url}concat'\n`),
    "svg-picture-by-http.svg": svg(`<image width="80" height="60" xlink:href="${url}image.png"/>`),
    "svg-picture-by-path.svg": svg(`<image width="80" height="60" xlink:href="file://${path}"/>`),
    "svg-entity-by-path.svg": svg(
      "<text>&x;</text>",
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file://${path}">]>`,
    ),
    "svg-entity-by-http.svg": svg(
      "<text>&x;</text>",
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "${url}entity">]>`,
    ),
    "svg-type-by-http.svg": svg("", `<!DOCTYPE svg SYSTEM "${url}type.dtd">`),
    "svg-style-by-http.svg": svg("", `<?xml-stylesheet href="${url}style.css"?>`),
    "svg-import.svg": svg(
      `<style>@import url("${url}import.css"); rect { fill: url("${url}fill") }</style><rect width="9" height="9"/>`,
    ),
    "svg-include.svg": svg(
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${path}" parse="text"/>`,
    ),
    "svg-entities.svg": svg("<text>&e11;</text>", entities()),
    "svg-uses.svg": svg(nestedUses()),
    "svg-blur.svg": svg(
      '<filter id="f"><feGaussianBlur stdDeviation="1000000"/></filter><rect width="80" height="60" filter="url(#f)"/>',
    ),
    "svg-deep.svg": svg("<g>".repeat(20_000)),
    "svg-bomb.svgz": gzipSync(
      Buffer.concat([svg("").subarray(0, -6), Buffer.alloc(100_000_000, 0x20)]),
    ),
    "pdf-slow.pdf": slowPdf(),
    "pdf-stream-by-path.pdf": drawn(
      "/X Do",
      [
        streamOf(
          "",
          `/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray/F(${path})`,
        ),
      ],
      "/XObject<</X 3 0 R>>",
    ),
    "pdf-actions.pdf": pdfOf([{ content: "0 g 0 0 9 9 re f" }], {
      catalog: `/OpenAction<</S/URI/URI(${url}action)>>/AA<</WC<</S/Launch/F(${path})>>>>`,
    }),
    "pdf-huge-page.pdf": pdfOf([{ box: [0, 0, 1e7, 1e7], content: "0 g 0 0 1e7 1e7 re f" }]),
    "pdf-broken-off.pdf": pdfOf([{ content: "0 g 0 0 9 9 re f" }]).subarray(0, 300),
  };
};
