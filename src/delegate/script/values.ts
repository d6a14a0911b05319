import { inspect } from "node:util";
import { masked } from "../../config/masked.ts";

/**
 * A value for messages: on one line, without secrets, headers and cookies, truncated after 200
 * characters.
 */
export const shortText = (value: unknown): string => cut(textOf(value));

/** A thrown value, in as many characters. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? cut(masked(`${thrown.name}: ${thrown.message}`)) : shortText(thrown);

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

const longest = 200;

const textOf = (value: unknown): string => {
  try {
    return masked(inspect(veiled(value, 3), inspection));
  } catch (error) {
    // The delegate's getters and proxies may throw.
    return `a value that cannot be shown (${error instanceof Error ? error.message : typeof error})`;
  }
};

/** A copy without anything that must not be logged. */
const veiled = (value: unknown, depth: number): unknown => {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.slice(0, 20).map((one) => veiled(one, depth - 1));
  if (!isHash(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      secrets.test(key) ? "(masked)" : veiled(one, depth - 1),
    ]),
  );
};

const secrets = /secret|password|token|authorization|access_?key|headers|cookie/i;

const inspection = {
  depth: 2,
  maxArrayLength: 20,
  maxStringLength: longest,
  breakLength: Number.POSITIVE_INFINITY,
  customInspect: false,
} as const;

/** Whether a value is a plain object: not a list, and not of a class with a meaning of its own. */
export const isHash = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
