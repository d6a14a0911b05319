/** Letters that are variants of others but that Unicode does not decompose. */
const baseLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ł: "l",
  ı: "i",
  // The lower case of a capital sigma depends on the letters around it.
  ς: "σ",
};

const withoutBase = new RegExp(`[${Object.keys(baseLetters).join("")}]`, "g");

/** Text without case and accents, the form in which names are compared. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(withoutBase, (letter) => baseLetters[letter] ?? letter);

/** The folded words of a search, without duplicates. */
export const wordsOf = (search: string): readonly string[] => [
  ...new Set(
    fold(search)
      .split(/\s+/)
      .filter((word) => word !== ""),
  ),
];
