/**
 * A function of a text that caches its results, other than undefined. Once there are `max` of them
 * all are dropped, which costs less on every call than keeping an order of use.
 */
export const remembered = <T>(max: number, work: (text: string) => T): ((text: string) => T) => {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = work(text);
    // Long texts are rare, and would fill the memory.
    if (result === undefined || text.length > maxLength) return result;
    if (results.size >= max) results.clear();
    results.set(text, result);
    return result;
  };
};

/** Maximum length of a text whose result is cached, in characters. */
const maxLength = 512;
