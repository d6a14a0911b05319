/** Number of bytes at the start of a file that suffice to detect its format. */
export const signatureBytes = 4_096;

/** Whether the file starts with these bytes. */
export const startsWithBytes = (start: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => start[index] === byte);

/** Whether a Latin-1 text is at an offset. */
export const hasTextAt = (start: Buffer, at: number, text: string): boolean =>
  start.toString("latin1", at, at + text.length) === text;

export const isJpeg = (start: Buffer): boolean => startsWithBytes(start, 0xff, 0xd8);

export const isPng = (start: Buffer): boolean =>
  startsWithBytes(start, 0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);

/** TIFF and BigTIFF, of either byte order. */
export const isTiff = (start: Buffer): boolean =>
  startsWithBytes(start, 0x49, 0x49, 42, 0) ||
  startsWithBytes(start, 0x4d, 0x4d, 0, 42) ||
  startsWithBytes(start, 0x49, 0x49, 43, 0) ||
  startsWithBytes(start, 0x4d, 0x4d, 0, 43);

export const isGif = (start: Buffer): boolean =>
  hasTextAt(start, 0, "GIF87a") || hasTextAt(start, 0, "GIF89a");

export const isWebp = (start: Buffer): boolean =>
  hasTextAt(start, 0, "RIFF") && hasTextAt(start, 8, "WEBP");

export const isAvif = (start: Buffer): boolean =>
  brandsOf(start).some((brand) => brand === "avif" || brand === "avis") || isGenericAvif(start);

/** HEIF files whose images may be HEVC, or whose coding only their items tell. */
export const isHeif = (start: Buffer): boolean =>
  brandsOf(start).some((brand) => heifBrand.test(brand));

/** The major and compatible brands of an ISO base media file; none otherwise. */
export const brandsOf = (start: Buffer): string[] => {
  if (start.length < 16 || !hasTextAt(start, 4, "ftyp")) return [];
  const end = Math.min(start.readUInt32BE(0), start.length, 256);
  const brands = [start.toString("latin1", 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(start.toString("latin1", at, at + 4));
  return brands;
};

/**
 * Brands of HEIF files that do not determine the coding of images; only the types of items and
 * samples do.
 */
const isGenericAvif = (start: Buffer): boolean => {
  const brands = brandsOf(start);
  return (
    brands.some((brand) => genericBrand.test(brand)) &&
    !brands.some((brand) => hevcBrand.test(brand)) &&
    start.includes("av01", 0, "latin1") &&
    !start.includes("hvc1", 0, "latin1")
  );
};

const genericBrand = /^(mif[12]|msf1)$/;
const hevcBrand = /^(hei[cxms]|hev[cxms])$/;
const heifBrand = /^(hei[cxms]|hev[cxms]|mif[12]|msf1)$/;
