/** Text without what terminals take for commands. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
