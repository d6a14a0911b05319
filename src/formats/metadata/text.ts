/** Bytes as text: UTF-8 where valid, else Latin-1, which is always valid. */
export const textOf = (bytes: Uint8Array): string => utf8(bytes) ?? latin1(bytes);

/** Bytes as text in UTF-8; undefined where invalid. */
export const utf8 = (bytes: Uint8Array): string | undefined => decoded(bytes, "utf-8");

/** Bytes as text in UTF-16; undefined where invalid. */
export const utf16 = (bytes: Uint8Array, littleEndian: boolean): string | undefined =>
  decoded(bytes, littleEndian ? "utf-16le" : "utf-16be");

/** Bytes as text in an encoding by its label (WHATWG Encoding); undefined where invalid. */
export const decoded = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    // By its specification the decoder throws this for invalid bytes, and nothing else.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** Bytes as text of one character each. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** Up to the first NUL. */
export const untilNul = (text: string): string => {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
};

/**
 * Without NULs and white space at the end. Not by a regular expression, which would scan long runs
 * repeatedly.
 */
export const withoutPadding = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\0" || text[end - 1]?.trim() === "")) end--;
  return text.slice(0, end);
};

/** Without NULs at the end. */
export const withoutNuls = (text: string): string => {
  let end = text.length;
  while (text[end - 1] === "\0") end--;
  return text.slice(0, end);
};
