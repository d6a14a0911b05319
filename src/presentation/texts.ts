/** Texts by language (BCP 47), or by `none` if it is unknown (Presentation 3.0 §4.1). */
export type LanguageMap = Readonly<Record<string, readonly string[]>>;

/** Texts of unknown language. */
export const unspecified = (...texts: readonly string[]): LanguageMap => ({ none: texts });

/** Texts in English. */
export const english = (...texts: readonly string[]): LanguageMap => ({ en: texts });

/** Maximum length of a text that comes from an image, in UTF-16 code units. */
const maxLength = 2_000;

/**
 * A text from an image as plain text, truncated to the maximum length; undefined if nothing is
 * left. Viewers interpret texts that start with `<` and end with `>` as HTML (Presentation 3.0
 * §4.2), so tags are removed from them.
 */
export const plainText = (value: string): string | undefined => {
  const text = value.replace(controls, " ").trim();
  const plain = text.startsWith("<") ? text.replace(/<[^<>]*>?/g, " ").trim() : text;
  if (plain.length <= maxLength) return plain === "" ? undefined : plain;
  // A truncated text must not end in a lone surrogate.
  return `${plain.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "")}…`;
};

/** Characters without a meaning in texts; lines and tabs remain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes them.
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/g;
