import { masked } from "../config/masked.ts";
import { ServerError } from "../core/errors.ts";
import { chainOf, diagnose } from "../sources/diagnosis.ts";

/** Failures of storage: what a client is told of them does not help whoever runs the server. */
const ofSources: ReadonlySet<string> = new Set(["upstream", "late", "denied"]);

/** Whether a failure is one of storage, of which there is more to say than its message. */
export const isOfSource = (error: unknown): boolean =>
  error instanceof ServerError && ofSources.has(error.failure) && error.cause !== undefined;

/**
 * Why a source failed, for whoever runs a command: in plain words, with what to do about it and
 * what the library said. Passwords and signatures are masked.
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

/** What the library said: the message of the cause that lies deepest. */
const detailOf = (error: unknown): string | undefined => {
  const chain = chainOf(error);
  const message = chain.map((one) => one.message.trim()).findLast((text) => text !== "");
  return message === undefined ? undefined : masked(message.replace(/\s+/g, " "));
};
