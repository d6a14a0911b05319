import { oldKeys } from "./cantaloupe-old.ts";
import { unusedKeys } from "./cantaloupe-unused.ts";
import type { ExplainedKey, Explanation } from "./explanation.ts";

/**
 * Every explained key of Cantaloupe's. A key that a part of the server defines needs no
 * explanation.
 */
export const explainedKeys = (): readonly ExplainedKey[] => [...oldKeys, ...unusedKeys];

/** The explanation of a key of Cantaloupe's that no part of the server defines. */
export const explain = (key: string): Explanation | undefined => {
  for (const [pattern, explanation] of explainedKeys()) {
    const matched = matching(pattern, key);
    if (matched !== undefined) return named(explanation, matched);
  }
  return undefined;
};

/**
 * The text that the `*` of a pattern matches in a key, empty without one; undefined without a
 * match.
 */
const matching = (pattern: string, key: string): string | undefined => {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === key ? "" : undefined;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  const fits = key.length >= before.length + after.length;
  return fits && key.startsWith(before) && key.endsWith(after)
    ? key.slice(before.length, key.length - after.length)
    : undefined;
};

const named = (explanation: Explanation, matched: string): Explanation =>
  explanation.replacedBy === undefined
    ? explanation
    : { ...explanation, replacedBy: explanation.replacedBy.replace("*", () => matched) };
