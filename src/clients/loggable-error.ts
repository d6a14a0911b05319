import { masked } from "../config/masked.ts";

/**
 * A client library's error, as far as it belongs in a log: name, code, message and cause, without
 * signatures in URLs and without the request that libraries attach to it.
 */
export const loggable = (thrown: unknown): Error => {
  if (!(thrown instanceof Error)) return new Error(masked(String(thrown)));
  const { name, message, stack, code } = thrown as Error & { readonly code?: unknown };
  const error = new Error(masked(message));
  error.name = name;
  if (typeof code === "string") Object.assign(error, { code });
  if (stack !== undefined) error.stack = masked(stack);
  return error;
};
