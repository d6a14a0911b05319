/** What a `?` of does not stand for a value: strings, quoted names and comments. */
const passages = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** A statement with `$1`, `$2` and so on for its `?`, as PostgreSQL has them. */
export const numbered = (text: string): string => {
  let count = 0;
  return text.replace(passages, (passage) => (passage === "?" ? `$${++count}` : passage));
};

/** How many values a statement takes. */
export const countPlaceholders = (text: string): number =>
  [...text.matchAll(passages)].filter(([passage]) => passage === "?").length;
