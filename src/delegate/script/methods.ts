import { nearest } from "../../config/nearest.ts";
import { type DelegateMethod, delegateMethods } from "../../core/delegate.ts";

/**
 * The method that a name stands for, in Cantaloupe's spelling or any camelCase one; undefined for
 * an unknown name.
 */
export const methodNamed = (name: string): DelegateMethod | undefined => methods().get(plain(name));

/** The method that an unknown name probably means; undefined where none is close. */
export const similarMethod = (name: string): DelegateMethod | undefined => {
  const meant = nearest(plain(name), methods().keys());
  return meant === undefined ? undefined : methods().get(meant);
};

/** Names without case and underscores, which all spellings of a method share. */
const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();

const methods = (): ReadonlyMap<string, DelegateMethod> =>
  new Map(delegateMethods.map((method) => [plain(method), method]));
