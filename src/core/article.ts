/** With its article, as in messages that name what came: "a JPEG", "an AVIF", "an array". */
export const withArticle = (name: string): string =>
  `${(isSpelt(name) ? vowelLetters : vowels).test(name) ? "an" : "a"} ${name}`;

const vowels = /^[aeiou]/i;

/**
 * Letters whose own names begin with a vowel; not H, since names of ours that begin with it are
 * spoken as words.
 */
const vowelLetters = /^[AEFILMNORSX]/;

/** Whether a name is spoken letter by letter, at least to begin with: "XPM", "MP4". */
const isSpelt = (name: string): boolean => /^[A-Z][A-Z\d]/.test(name);
