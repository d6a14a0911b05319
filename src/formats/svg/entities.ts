import { fail } from "../../core/errors.ts";

const maxEntities = 256;
const longestEntity = 4_096;

/** Maximum growth of a document in characters. */
const maxGrowth = 1_048_576;

/**
 * Expands entities declared as plain texts, such as names of namespaces. Throws `unreadable` where
 * they refer to files or to one another, or expand to too much.
 */
export const withoutEntities = (text: string, declarations: string): string => {
  const entities = entitiesIn(declarations);
  if (entities.size === 0) return text;
  let growth = 0;
  return text.replace(/&([\w:.-]+);/g, (reference: string, name: string) => {
    const value = entities.get(name);
    if (value === undefined) return reference;
    growth += value.length;
    if (growth > maxGrowth)
      fail("unreadable", "Expected an SVG document whose entities expand to less than 1 MB.");
    return value;
  });
};

const entitiesIn = (declarations: string): ReadonlyMap<string, string> => {
  const entities = new Map<string, string>();
  const plain = declarations.replace(/<!--[\s\S]*?-->/g, "");
  for (const [, name = "", said = ""] of plain.matchAll(/<!ENTITY\s+([^\s>]+)\s+([^>]*)>/g)) {
    const quoted = /^(?:"([^"]*)"|'([^']*)')\s*$/.exec(said);
    const value = quoted?.[1] ?? quoted?.[2];
    if (value === undefined || /[&%<]/.test(value.replace(/&#\w+;/g, "")))
      return fail("unreadable", "Expected an SVG document with plain text entities only.");
    if (value.length > longestEntity || entities.size >= maxEntities)
      return fail(
        "unreadable",
        `Expected an SVG document with at most ${maxEntities} entities of at most ${longestEntity} characters.`,
      );
    entities.set(name, value);
  }
  if (/%[\w:.-]+;/.test(plain))
    return fail("unreadable", "Expected an SVG document without parameter entities.");
  return entities;
};
