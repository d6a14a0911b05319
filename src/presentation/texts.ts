/** Texts by language (BCP 47), or by `none` where that is unknown (Presentation 3.0 §4.1). */
export type LanguageMap = Readonly<Record<string, readonly string[]>>;

/** Texts of no known language. */
export const unspecified = (...texts: readonly string[]): LanguageMap => ({ none: texts });

/** Texts in English. */
export const english = (...texts: readonly string[]): LanguageMap => ({ en: texts });

/** Maximum length of a text that comes from an image, in UTF-16 code units. */
const maxLength = 2_000;

/**
 * A text from an image as plain text on one or more lines, truncated where long; undefined where
 * nothing remains of it. Texts between `<` and `>` would be read as HTML (Presentation 3.0 §4.2), so
 * that tags are removed from them.
 */
export const plainText = (value: string): string | undefined => {
  const text = value.replace(controls, " ").trim();
  const plain = text.startsWith("<") ? text.replace(/<[^<>]*>?/g, " ").trim() : text;
  if (plain.length <= maxLength) return plain === "" ? undefined : plain;
  // A truncated text may not end in half a character.
  return `${plain.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "")}…`;
};

/** Characters without a meaning in texts; lines and tabs remain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/g;
