import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryReader } from "../../test/readers.ts";
import { sniff } from "./sniff.ts";

const signal = new AbortController().signal;
const formatOf = (bytes: Uint8Array | string) =>
  sniff(memoryReader(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes), signal);

describe("format detection", () => {
  test.each([
    ["jpeg", "jpg"],
    ["png", "png"],
    ["tiff", "tif"],
    ["gif", "gif"],
    ["webp", "webp"],
    ["avif", "avif"],
  ] as const)("detects output of the %s encoder as %s", async (written, format) => {
    const picture = sharp({ create: { width: 9, height: 9, channels: 3, background: "#123456" } });
    expect(await formatOf(await picture.toFormat(written).toBuffer())).toBe(format);
  });

  test.each([
    ["a BigTIFF in either order", "MM\0+\0\x08\0\0", "tif"],
    [
      "an AVIF that names its brand only among the compatible ones",
      "\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf",
      "avif",
    ],
    ["a HEIC", "\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"],
    ["a bare JPEG XL codestream", "\xff\x0a\xfa\x7f", "jxl"],
    ["a JPEG XL in boxes", "\0\0\0\x0cJXL \r\n\x87\n", "jxl"],
    ["a JP2, JPX or JPH", "\0\0\0\x0cjP  \r\n\x87\n", "jp2"],
    ["a bare JPEG 2000 codestream", "\xff\x4f\xff\x51\0\x2f", "jp2"],
    ["a PDF", "%PDF-1.7\n", "pdf"],
    ["a PDF behind something else", "\r\n@PJL\r\n%PDF-1.4\n", "pdf"],
    ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>", "svg"],
    [
      "an SVG behind a declaration and a comment",
      "<?xml version='1.0'?>\n<!-- a --><svg width='1'/>",
      "svg",
    ],
    ["an SVG with a prefix", "<s:svg xmlns:s='http://www.w3.org/2000/svg'/>", "svg"],
    ["an SVG in gzip", gzipSync("<svg width='1'/>").toString("latin1"), "svg"],
    ["anything else in gzip", gzipSync("<html/>").toString("latin1"), undefined],
    ["what only begins as gzip does", "\x1f\x8b\x08", undefined],
    ["a DICOM file, whatever it begins with", `II*\0${"\0".repeat(124)}DICM`, "dicom"],
    ["a DICOM file without a preamble", "\x02\0\x10\0UI\x14\x001.2.840.10008.1.2.1\0", "dicom"],
    ["a BMP", `BM${"\0".repeat(40)}`, "bmp"],
    ["an XPM", "/* XPM */\nstatic char *a[] = {", "xpm"],
    ["an XPM of version 2", "! XPM2\n1 1 1 1\n", "xpm"],
    ["an AVI", "RIFF\0\0\0\0AVI LIST", "avi"],
    ["a Flash Video", "FLV\u0001\u0005\0\0\0\u0009", "flv"],
    ["an MP4", "\0\0\0\x18ftypisom\0\0\0\0isommp41", "mp4"],
    ["a QuickTime film", "\0\0\0\x14ftypqt  \0\0\0\0qt  ", "mov"],
    ["an old QuickTime film", "\0\0\x10\0moov\0\0\0\x6cmvhd", "mov"],
    ["an MPEG program stream", "\0\0\x01\xba\x21\0\x01", "mpg"],
    ["a bare MPEG stream", "\0\0\x01\xb3\x14\0\xf0", "mpg"],
    ["a WebM or Matroska", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01", "webm"],
    ["a list of videos elsewhere", "#EXTM3U\n#EXTINF:1,\nhttp://localhost/a.mp4", undefined],
    ["a script for FFmpeg", "ffconcat version 1.0\nfile /a\n", undefined],
    ["other XML", "<?xml version='1.0'?><html/>", undefined],
    ["text", "not a picture", undefined],
    ["nothing", "", undefined],
  ])("%s", async (_, bytes, format) => {
    expect(await formatOf(bytes)).toBe(format);
  });
});

test.each([["Canon raw image", "\0\0\0\x18ftypcrx \0\0\0\0crx isom"]])(
  "rejects a %s by name",
  async (name, bytes) => {
    await expect(formatOf(bytes)).rejects.toThrow(
      `the file is a ${name}, which this version cannot read`,
    );
  },
);
