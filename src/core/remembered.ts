/**
 * A function of a text that caches its results, except undefined. Once there are `max` of them, all
 * are dropped, which is cheaper per call than recording the order of use.
 */
export const remembered = <T>(max: number, work: (text: string) => T): ((text: string) => T) => {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = work(text);
    // Long texts are rare and would take much memory.
    if (result === undefined || text.length > maxLength) return result;
    if (results.size >= max) results.clear();
    results.set(text, result);
    return result;
  };
};

/** Maximum length of a text whose result is cached, in characters. */
const maxLength = 512;
