import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryReader } from "../../test/readers.ts";
import { sniff } from "./sniff.ts";

const signal = new AbortController().signal;
const formatOf = (bytes: Uint8Array | string) =>
  sniff(memoryReader(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes), signal);

describe("a format is known by its content", () => {
  test.each([
    ["jpeg", "jpg"],
    ["png", "png"],
    ["tiff", "tif"],
    ["gif", "gif"],
    ["webp", "webp"],
    ["avif", "avif"],
  ] as const)("what the encoder of %s writes is %s", async (written, format) => {
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
    ["other XML", "<?xml version='1.0'?><html/>", undefined],
    ["text", "not a picture", undefined],
    ["nothing", "", undefined],
  ])("%s", async (_, bytes, format) => {
    expect(await formatOf(bytes)).toBe(format);
  });
});

test.each([
  ["DICOM file", `II*\0${"\0".repeat(124)}DICM`],
  ["JPEG XL picture", "\xff\x0a\xfa\x7f"],
  ["HEIF picture", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"],
  ["video", "\0\0\0\x18ftypisom\0\0\0\0isommp41"],
  ["BMP picture", `BM${"\0".repeat(40)}`],
])("a %s is refused by its name", async (name, bytes) => {
  await expect(formatOf(bytes)).rejects.toThrow(
    `the file is a ${name}, which this version cannot read`,
  );
});
