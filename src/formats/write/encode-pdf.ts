import type { Sharp } from "sharp";
import { fail } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { frameOf, headSegments, pictureChunks, profileIn } from "../containers/index.ts";
import { encodeJpeg } from "./encode-jpeg.ts";
import { number } from "./encode-values.ts";

/** Points per inch (ISO 32000-1, 8.3.2.3). */
const pointsPerInch = 72;
/** Maximum side of a page in user space units, which are points by default (Annex C). */
const longestSide = 14_400;

/** An embedded image: its bytes and description. */
interface Embedded {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  /** Entries of the image's dictionary besides its size. */
  readonly entries: string;
  readonly channels: 1 | 3;
  readonly profile: Uint8Array | undefined;
}

/**
 * A document of one page with the size of the image, embedded as a JPEG; for black and white,
 * losslessly with one bit per pixel (ISO 32000-1). Without date and id, so that equal images make
 * equal documents.
 */
export const encodePdf = async (image: Sharp, plan: Plan): Promise<Uint8Array> =>
  documentOf(
    plan.quality === "bitonal" ? await bitsOf(image) : jpegOf(await encodeJpeg(image, plan)),
    number(plan.encoding, "dpi", 150),
  );

const jpegOf = (jpeg: Uint8Array): Embedded => {
  const segments = headSegments(jpeg) ?? [];
  const frame = frameOf(jpeg, segments);
  if (frame === undefined || (frame.components.length !== 1 && frame.components.length !== 3))
    return fail("internal", "Expected the encoder to write a JPEG in grey or in three colours.");
  return {
    width: frame.width,
    height: frame.height,
    bytes: jpeg,
    entries: "/BitsPerComponent 8 /Filter /DCTDecode",
    channels: frame.components.length,
    profile: profileIn(jpeg, segments),
  };
};

/** The compressed rows of a one-bit PNG, which a document can contain unchanged. */
const bitsOf = async (image: Sharp): Promise<Embedded> => {
  const png = await image.png({ compressionLevel: 6, palette: false, colours: 2 }).toBuffer();
  const { header, data } =
    pictureChunks(png) ?? fail("internal", "Expected the encoder to write a PNG; it did not.");
  const { width, height, bits, colour } = header;
  if (colour !== 0) return fail("internal", `Expected a greyscale PNG, got colour type ${colour}.`);
  return {
    width,
    height,
    bytes: data,
    entries: `/BitsPerComponent ${bits} /Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors 1 /BitsPerComponent ${bits} /Columns ${width} >>`,
    channels: 1,
    profile: undefined,
  };
};

const documentOf = (picture: Embedded, dpi: number): Uint8Array => {
  const { width, height, bytes, entries, channels, profile } = picture;
  const points = { width: (width * pointsPerInch) / dpi, height: (height * pointsPerInch) / dpi };
  // A larger unit, where the page would exceed readers' limit.
  const unit = Math.max(1, Math.ceil(Math.max(points.width, points.height) / longestSide));
  const [across, down] = [points.width, points.height].map((side) => decimal(side / unit));
  const space = channels === 1 ? "/DeviceGray" : "/DeviceRGB";
  const drawing = Buffer.from(`q ${across} 0 0 ${down} 0 0 cm /Picture Do Q`, "latin1");
  const objects = [
    dictionary("/Type /Catalog /Pages 2 0 R"),
    dictionary("/Type /Pages /Kids [3 0 R] /Count 1"),
    dictionary(
      `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${across} ${down}]${unit > 1 ? ` /UserUnit ${unit}` : ""} /Resources << /XObject << /Picture 5 0 R >> >> /Contents 4 0 R`,
    ),
    stream("", drawing),
    stream(
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${profile ? "[/ICCBased 6 0 R]" : space} ${entries}`,
      bytes,
    ),
    ...(profile ? [stream(`/N ${channels} /Alternate ${space}`, profile)] : []),
  ];
  return fileOf(objects, { version: unit > 1 ? "1.6" : "1.4" });
};

const decimal = (value: number): string => String(Math.round(value * 1_000) / 1_000);

const dictionary = (entries: string): Uint8Array => Buffer.from(`<< ${entries} >>`, "latin1");

const stream = (entries: string, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${bytes.length} >>\nstream\n`, "latin1"),
    bytes,
    Buffer.from("\nendstream", "latin1"),
  ]);

/** Objects by number from 1, and the cross-reference table (ISO 32000-1, 7.5). */
const fileOf = (
  objects: readonly Uint8Array[],
  { version }: { readonly version: string },
): Uint8Array => {
  // Bytes beyond ASCII show transfer programs that the file is binary.
  const parts: Uint8Array[] = [Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, "latin1")];
  let end = parts[0]?.length ?? 0;
  const places: number[] = [];
  const put = (bytes: Uint8Array): void => {
    parts.push(bytes);
    end += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    places.push(end);
    put(Buffer.from(`${index + 1} 0 obj\n`, "latin1"));
    put(object);
    put(Buffer.from("\nendobj\n", "latin1"));
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${places.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  const trailer = `trailer\n<< /Size ${places.length + 1} /Root 1 0 R >>\nstartxref\n${end}\n%%EOF\n`;
  put(Buffer.from(table + trailer, "latin1"));
  return Buffer.concat(parts);
};
