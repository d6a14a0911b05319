import { withArticle } from "../../core/article.ts";
import { fail } from "../../core/errors.ts";

/** Parses a body that has to be a JSON object; throws `malformed` with what it got instead. */
export const jsonObject = (body: Uint8Array): Readonly<Record<string, unknown>> => {
  if (body.length === 0) return fail("malformed", "body: expected a JSON object, got nothing");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    return fail("malformed", "body: expected JSON in UTF-8, got other bytes", cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return fail("malformed", "body: expected a JSON object, got something that is not JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail("malformed", `body: expected a JSON object, got ${kindOf(value)}`);
  return value as Readonly<Record<string, unknown>>;
};

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  return withArticle(Array.isArray(value) ? "array" : typeof value);
};
