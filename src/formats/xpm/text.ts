import { fail } from "../../core/errors.ts";

/** A text as values (the first one), colours and rows of pixels, for every version of XPM. */
export interface XpmLines {
  /** Counted from the first string on; throws `unreadable` where the file ends before. */
  at(index: number): string;
  readonly count: number;
}

/** Whether bytes begin as an XPM file of version 1 to 3. */
export const isXpm = (start: Buffer): boolean =>
  /^\s*(?:\/\*\s*XPM\s*\*\/|!\s*XPM2)/.test(start.toString("latin1", 0, 64)) ||
  /^#define\s+\w+_format\s+1\s+#define\s+\w+_width\s/.test(start.toString("latin1", 0, 512));

/** Splits a file into its strings: C strings of versions 1 and 3, the lines of version 2. */
export const linesOf = (bytes: Buffer): XpmLines => {
  const text = bytes.toString("latin1");
  if (/^\s*!\s*XPM2/.test(text)) return lines(text.split(/\r\n|\r|\n/).slice(1));
  if (/^\s*#define/.test(text)) return lines([valuesOfFirst(text), ...stringsIn(text)]);
  return lines(stringsIn(text));
};

const lines = (all: readonly string[]): XpmLines => ({
  count: all.length,
  at: (index) =>
    all[index] ??
    fail(
      "unreadable",
      `Expected at least ${index + 1} strings in the XPM; there are ${all.length}.`,
    ),
});

/** C strings outside comments. Scanned once, so that no text takes long. */
const stringsIn = (text: string): string[] => {
  const found: string[] = [];
  let at = 0;
  let comment = -1;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    if (quote < 0) break;
    comment = commentFrom(text, at, comment);
    if (comment < quote) {
      const end = text.indexOf("*/", comment + 2);
      if (end < 0) break;
      at = end + 2;
      continue;
    }
    const end = endOfString(text, quote + 1);
    if (end < 0) break;
    const raw = text.slice(quote + 1, end);
    found.push(raw.includes("\\") ? raw.replaceAll(/\\(.)/g, "$1") : raw);
    at = end + 1;
  }
  return found;
};

/**
 * The start of the first comment from a position on, infinite if there is none; searched again only
 * once the previous one is passed, since every string would scan all that follow.
 */
const commentFrom = (text: string, at: number, before: number): number => {
  if (before >= at) return before;
  const found = text.indexOf("/*", at);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
};

const endOfString = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') return at;
    if (character === "\\") at++;
  }
  return -1;
};

/** Version 1 has its values in definitions, and the names of colours as separate strings. */
const valuesOfFirst = (text: string): string => {
  const value = (name: string): string =>
    new RegExp(`#define\\s+\\w+_${name}\\s+(\\d+)`).exec(text.slice(0, 4_096))?.[1] ?? "";
  return `${value("width")} ${value("height")} ${value("ncolors")} ${value("chars_per_pixel")} v1`;
};
