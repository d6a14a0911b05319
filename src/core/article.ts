/** A name with its indefinite article, for messages: "a JPEG", "an AVIF", "an array". */
export const withArticle = (name: string): string =>
  `${(isSpelt(name) ? vowelLetters : vowels).test(name) ? "an" : "a"} ${name}`;

const vowels = /^[aeiou]/i;

/**
 * Letters whose names begin with a vowel; not H, since our names that begin with it are pronounced
 * as words.
 */
const vowelLetters = /^[AEFILMNORSX]/;

/** Whether a name is spelled out, at least at its start: "XPM", "MP4". */
const isSpelt = (name: string): boolean => /^[A-Z][A-Z\d]/.test(name);
