/**
 * Parses a number of pixels: digits only (3.0 §4.7). Values beyond the safe range become the
 * largest safe one; undefined where it is not a number.
 */
export const parsePixels = (text: string): number | undefined => pixelsIn(text, 0, text.length);

/** As `parsePixels`, of the part of a text between two positions; the end is exclusive. */
export const pixelsIn = (text: string, from: number, end: number): number | undefined => {
  if (from >= end) return undefined;
  let value = 0;
  for (let at = from; at < end; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    value = value * 10 + digit;
  }
  return Math.min(value, Number.MAX_SAFE_INTEGER);
};

const zero = 0x30;

/**
 * Parses a decimal: digits and at most one dot, no sign, no exponent, a digit after the dot (3.0
 * §4.7). Undefined where it is not one.
 */
export const parseDecimal = (text: string): number | undefined =>
  /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? bounded(text) : undefined;

/**
 * Writes a decimal in the canonical form: no exponent, a digit before the dot, no trailing zeros.
 */
export const writeDecimal = (value: number): string => {
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
};

const bounded = (text: string): number => Math.min(Number(text), Number.MAX_SAFE_INTEGER);
