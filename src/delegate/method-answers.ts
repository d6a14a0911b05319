import type { AnswerCheck, DelegateMethod } from "../core/delegate.ts";
import { ServerError } from "../core/errors.ts";
import { reasonOf, shortText } from "./script/values.ts";

/** A call of a delegate's method, as the log names it. */
export interface NamedCall {
  readonly method: DelegateMethod;
  /** Of the request. */
  readonly id: string;
  /** The identifier of the image, as far as known. */
  readonly identifier: string | null | undefined;
}

/** The validated result of a delegate; throws `internal` where it is invalid, or cannot be read. */
export const checkedAnswer = <T>(answer: unknown, check: AnswerCheck<T>, called: NamedCall): T => {
  let read: T | undefined;
  try {
    read = check.read(answer);
  } catch (cause) {
    // A getter or a proxy in the result.
    throw methodFailure(called, `gave an answer that cannot be read: ${reasonOf(cause)}`, cause);
  }
  if (read === undefined)
    throw methodFailure(
      called,
      `should answer ${check.expected}, but answered ${shortText(answer)}`,
    );
  return read;
};

/** A failed call; `what` follows the method's name. */
export const methodFailure = (
  { method, id, identifier }: NamedCall,
  what: string,
  cause?: unknown,
): ServerError => {
  const image = identifier == null ? "" : ` for ${shortText(identifier)}`;
  return new ServerError(
    "internal",
    `The delegate's method ${method} ${what} (request ${id}${image}).`,
    cause === undefined ? undefined : { cause },
  );
};
