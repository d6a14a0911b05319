import type { Chain } from "./chain.ts";
import { type Environment, variableOf } from "./environment.ts";
import type { Definition, Keys, NumberedKeys } from "./keys.ts";

/** Where keys may be set. */
interface NumberedPlaces {
  readonly chain: Pick<Chain, "files">;
  readonly runtime: ReadonlyMap<string, string>;
  readonly env: Environment;
}

/** What follows the prefix: a number from 1 to 999, and a key. */
const numberAndKey = /^([1-9]\d{0,2})\.(.+)$/;

/** The number and the rest of a key of a numbered group; undefined where it is none. */
export const numberOf = (
  prefix: string,
  key: string,
): { readonly number: number; readonly rest: string } | undefined => {
  if (!key.startsWith(prefix)) return undefined;
  const [, number = "", rest = ""] = numberAndKey.exec(key.slice(prefix.length)) ?? [];
  return number === "" ? undefined : { number: Number(number), rest };
};

/** The definition of a key of a numbered group; undefined where it belongs to none. */
export const numberedDefinition = (
  groups: readonly NumberedKeys[],
  key: string,
): Definition | undefined => {
  for (const { prefix, keys, instead } of groups) {
    const rest = numberOf(prefix, key)?.rest;
    if (rest === undefined) continue;
    const own = ownOf(keys, rest);
    if (own) return own;
    const other = ownOf(instead, rest);
    if (other) return overriding(other);
  }
  return undefined;
};

/**
 * The definitions of all keys of numbered groups that are set somewhere, and of all fixed keys of a
 * number with any key set.
 */
export const numberedIn = (
  groups: readonly NumberedKeys[],
  places: NumberedPlaces,
): readonly (readonly [string, Definition])[] => {
  const found = new Map<string, Definition>();
  for (const group of groups) {
    const names = [...namesIn(places), ...variablesIn(group, places.env)];
    const numbers = new Set<number>();
    for (const name of names) {
      const number = numberOf(group.prefix, name)?.number;
      const definition = numberedDefinition([group], name);
      if (number === undefined || definition === undefined) continue;
      numbers.add(number);
      found.set(name, definition);
    }
    for (const number of numbers)
      for (const [key, definition] of Object.entries(group.keys))
        found.set(`${group.prefix}${number}.${key}`, definition);
  }
  return [...found];
};

const namesIn = ({ chain, runtime }: NumberedPlaces): readonly string[] => [
  ...chain.files.flatMap(({ properties }) => [...properties.settings.keys()]),
  ...runtime.keys(),
];

/** The keys of a group that variables set. */
const variablesIn = (
  { prefix, keys, instead }: NumberedKeys,
  env: Environment,
): readonly string[] => {
  const start = variableOf(prefix);
  const variables = Object.keys(env).filter((name) => name.startsWith(start));
  if (variables.length === 0) return [];
  const known = new Map(
    [...Object.keys(instead), ...Object.keys(keys)].map((key) => [variableOf(key), key]),
  );
  return variables.flatMap((name) => {
    const [, number = "", rest = ""] = /^([1-9]\d{0,2})_(.+)$/.exec(name.slice(start.length)) ?? [];
    const key = known.get(rest);
    return key === undefined ? [] : [`${prefix}${number}.${key}`];
  });
};

const ownOf = (keys: Keys, key: string): Definition | undefined =>
  Object.hasOwn(keys, key) ? keys[key] : undefined;

/** A definition of an overriding key: unset or empty, it falls back to the key itself. */
const overriding = (definition: Definition): Definition => {
  const { cantaloupe: _, ...rest } = definition;
  const plain: Record<string, unknown> = { ...rest, default: null, restart: true };
  delete plain["blank"];
  delete plain["share"];
  return plain as unknown as Definition;
};
