/** The first bytes of a bare codestream (ISO/IEC 18181-1, C.1). */
const isBare = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0x0a;

/** Maximum number of boxes examined. */
const maxBoxes = 4_096;

/**
 * The codestream of a JPEG XL: the file, or the joined content of its boxes `jxlc` or `jxlp`
 * (ISO/IEC 18181-2, 9.8 and 9.9). Undefined where there is none.
 */
export const codestreamOf = (bytes: Uint8Array): Uint8Array | undefined => {
  if (isBare(bytes)) return bytes;
  const parts: Uint8Array[] = [];
  for (const { type, contents } of boxesIn(bytes)) {
    if (type === boxes.whole) return contents;
    // Each part begins with its number.
    if (type === boxes.part) parts.push(contents.subarray(4));
  }
  const [first, ...more] = parts;
  return more.length === 0 ? first : Buffer.concat(parts);
};

interface JpegXlBox {
  readonly type: number;
  readonly contents: Uint8Array;
}

const boxesIn = function* (bytes: Uint8Array): Generator<JpegXlBox> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0, count = 0; count < maxBoxes && at + 8 <= bytes.length; count++) {
    const { header, length } = extentOf(view, at);
    if (length < header) return;
    const end = Math.min(at + length, bytes.length);
    yield { type: view.getUint32(at + 4), contents: bytes.subarray(at + header, end) };
    at += length;
  }
};

/** Of a box in bytes: its header, and all of it. */
const extentOf = (
  view: DataView,
  at: number,
): { readonly header: number; readonly length: number } => {
  const stated = view.getUint32(at);
  const rest = view.byteLength - at;
  // 0: to the end; 1: the length follows in eight bytes.
  if (stated === 0) return { header: 8, length: rest };
  if (stated > 1) return { header: 8, length: stated };
  return { header: 16, length: rest < 16 ? 0 : Number(view.getBigUint64(at + 8)) };
};

/** `jxlc` and `jxlp`. */
const boxes = { whole: 0x6a786c63, part: 0x6a786c70 } as const;
