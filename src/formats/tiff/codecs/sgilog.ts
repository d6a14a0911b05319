import type { SampleJob } from "./sample-job.ts";

/**
 * Decodes SGI's run lengths (34676): LogL of 16 bits, or LogLuv of 32 (G. W. Larson, "LogLuv
 * encoding for full-gamut, high-dynamic range images", 1998). Luminance from 0 to 1 becomes 8 bits
 * by its square root, the rest is clipped, as in libtiff's 8-bit output. Throws where a row ends
 * early.
 */
export const unlog = ({ bytes, layout, rows }: SampleJob): Uint8Array => {
  const { width } = layout.tile;
  const isGrey = layout.samples === 1;
  const out = new Uint8Array(width * rows * layout.samples);
  const codes = new Uint32Array(width);
  const colour = isGrey ? greyOf : colourOf;
  let from = 0;
  for (let row = 0; row < rows; row++) {
    from = undoRow(bytes, from, { codes, planes: isGrey ? 2 : 4 });
    for (const [x, code] of codes.entries()) colour(code, out, (row * width + x) * layout.samples);
  }
  return out;
};

/**
 * Decodes a row, most significant bytes of all its pixels first; returns where the next one starts.
 */
const undoRow = (
  bytes: Uint8Array,
  start: number,
  { codes, planes }: { readonly codes: Uint32Array; readonly planes: number },
): number => {
  let from = start;
  codes.fill(0);
  for (let plane = 0; plane < planes; plane++) from = undoPlane(bytes, from, codes);
  return from;
};

/** Appends a byte per code: a run of 2 to 129 pixels, or up to 127 literals. */
const undoPlane = (bytes: Uint8Array, start: number, codes: Uint32Array): number => {
  let from = start;
  for (let x = 0; x < codes.length; ) {
    const control = bytes[from++] ?? 0;
    const isRun = control >= 128;
    const length = Math.min(codes.length - x, isRun ? control - 126 : control);
    const stored = isRun ? 1 : length;
    if (from + stored > bytes.length) throw new Error("a row of LogLuv ends early");
    for (let index = 0; index < length; index++, x++)
      codes[x] = ((codes[x] ?? 0) << 8) | (bytes[isRun ? from : from + index] ?? 0);
    from += stored;
  }
  return from;
};

const greyOf = (code: number, out: Uint8Array, at: number): void => {
  out[at] = byteOfLight(luminance(code));
};

/** A chromaticity is stored in steps of 1 / 410 of u' and v'. */
const chromaStep = 1 / 410;

const colourOf = (code: number, out: Uint8Array, at: number): void => {
  const y = luminance(code >>> 16);
  const [red, green, blue] = lightOf(
    chromaStep * (((code >> 8) & 255) + 0.5),
    chromaStep * ((code & 255) + 0.5),
  );
  out[at] = byteOfLight(y * red);
  out[at + 1] = byteOfLight(y * green);
  out[at + 2] = byteOfLight(y * blue);
};

/** Linear red, green and blue of a chromaticity u' and v' at luminance 1; may be outside 0 to 1. */
export const lightOf = (u: number, v: number): [red: number, green: number, blue: number] => {
  const s = 1 / (6 * u - 16 * v + 12);
  const [chromaX, chromaY] = [9 * u * s, 4 * v * s];
  const x = chromaX / chromaY;
  const z = (1 - chromaX - chromaY) / chromaY;
  return [
    2.69 * x - 1.276 - 0.414 * z,
    -1.022 * x + 1.978 + 0.044 * z,
    0.061 * x - 0.224 + 1.163 * z,
  ];
};

/**
 * 15 bits of logarithm to base two, in steps of 1 / 256, below a sign; negative values are black.
 */
const luminance = (code: number): number =>
  code === 0 || code >= 0x8000 ? 0 : 2 ** ((code + 0.5) / 256 - 64);

/** A linear value in 8 bits, by its square root; clipped to 0 and 1. */
export const byteOfLight = (light: number): number =>
  light > 0 ? Math.min(255, Math.floor(256 * Math.sqrt(light))) : 0;
