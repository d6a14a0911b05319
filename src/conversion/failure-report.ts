import { masked } from "../config/masked.ts";
import { ServerError } from "../core/errors.ts";
import { chainOf, diagnose } from "../sources/diagnosis.ts";

/** Errors of storage: their messages for clients do not help operators. */
const ofSources: ReadonlySet<string> = new Set(["upstream", "late", "denied"]);

/** Whether an error is one of storage, which has more details than its message. */
export const isOfSource = (error: unknown): boolean =>
  error instanceof ServerError && ofSources.has(error.failure) && error.cause !== undefined;

/**
 * Why a source failed, for users of a command: in plain words, with the remedy and the library's
 * message. Passwords and signatures are masked.
 */
export const sourceFailureText = (error: unknown): string => {
  const { found, advice } = diagnose(error);
  const said = detailOf(error);
  return [
    `${found}.`,
    ...(advice === undefined ? [] : [advice]),
    ...(said ? [`(${said})`] : []),
  ].join(" ");
};

/** The library's message: that of the innermost cause. */
const detailOf = (error: unknown): string | undefined => {
  const chain = chainOf(error);
  const message = chain.map((one) => one.message.trim()).findLast((text) => text !== "");
  return message === undefined ? undefined : masked(message.replace(/\s+/g, " "));
};
