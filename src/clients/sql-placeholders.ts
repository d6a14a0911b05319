/** Where a `?` is not a placeholder: strings, quoted names and comments. */
const passages = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** A statement with `$1`, `$2` and so on for its `?`, as in PostgreSQL. */
export const numbered = (text: string): string => {
  let count = 0;
  return text.replace(passages, (passage) => (passage === "?" ? `$${++count}` : passage));
};

/** The number of a statement's values. */
export const countPlaceholders = (text: string): number =>
  [...text.matchAll(passages)].filter(([passage]) => passage === "?").length;
