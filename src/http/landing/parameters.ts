import { fail } from "../../core/errors.ts";
import { parseQuery } from "../request/query.ts";

/** Maximum number of characters of a parameter. */
export const maxCharacters = { folder: 1_000, search: 200, cursor: 4_096 } as const;

/** A parameter of a query, form-decoded; "" if absent. Throws `malformed` if it is too long. */
export const textParameter = (
  query: string | undefined,
  name: string,
  maxLength: number,
): string => {
  const text = parseQuery(query ?? "").get(name) ?? "";
  if (text.length > maxLength)
    fail("malformed", `${name}: expected at most ${maxLength} characters, got ${text.length}.`);
  if (text.includes("\0")) fail("malformed", `${name}: a NUL character is not allowed.`);
  return text;
};

/** A number in a query within its range; `absent` if it is missing. Throws `malformed`. */
export const numberParameter = (
  query: string | undefined,
  name: string,
  { min, max, absent }: { readonly min: number; readonly max: number; readonly absent: number },
): number => {
  const text = parseQuery(query ?? "").get(name) ?? "";
  if (text === "") return absent;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  return fail(
    "malformed",
    `${name}: expected an integer from ${min} to ${max}, got '${text.slice(0, 40)}'.`,
  );
};
