import type { RequestContext } from "../core/context.ts";
import type { DelegateSession } from "../core/delegate.ts";
import { fail } from "../core/errors.ts";

/** How an identifier leads to an image: by prefix and suffix, or by the delegate's result. */
export const lookupStrategies = ["BasicLookupStrategy", "ScriptLookupStrategy"] as const;

/** Whether a strategy calls the delegate. */
export const isScripted = (strategy: unknown): boolean => strategy === "ScriptLookupStrategy";

/** The delegate session of a request. Throws `internal` where no delegate is enabled. */
export const sessionOf = ({ delegate }: RequestContext): DelegateSession =>
  delegate ??
  fail(
    "internal",
    "The configuration says that a delegate finds images, but none is loaded. Set delegate_script.enabled and delegate_script.pathname, or delegate.http.url.",
  );

/**
 * The same for a lookup. Throws `missing` for identifiers with control characters: a delegate that
 * puts them in a name or URL would fail, although the client is at fault.
 */
export const lookupSession = (identifier: string, context: RequestContext): DelegateSession =>
  /\p{Cc}/u.test(identifier) ? noImage(identifier) : sessionOf(context);

/** Throws `missing`. */
export const noImage = (identifier: string): never =>
  fail("missing", `There is no image '${identifier}'.`);
