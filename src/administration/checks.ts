import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { Check, Color } from "./health.ts";

/** The result of a check: healthy, or a finding. */
export type Finding = { readonly color: Color; readonly message?: string } | undefined;

/** A health check. */
export interface Checking {
  readonly name: string;
  /** What is wrong, if anything; an exception is a failure. */
  look(signal: AbortSignal): Promise<Finding>;
}

/**
 * Runs a check; it ends after so many milliseconds, whatever it does, and is aborted when nobody
 * waits any more.
 */
export const runCheck = async (
  { name, look }: Checking,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  log: Logger,
): Promise<Check> => {
  const began = performance.now();
  const deadline = new AbortController();
  const tooLate = new ServerError("late", `No response within ${ms / 1_000} s.`);
  const result = (found: Finding): Check => ({
    name,
    color: found?.color ?? "GREEN",
    ...(found?.message === undefined ? {} : { message: found.message }),
    milliseconds: Math.round(performance.now() - began),
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(tooLate);
        deadline.abort(tooLate);
      }, ms);
    });
    const both = AbortSignal.any([signal, deadline.signal]);
    return result(await Promise.race([look(both), late]));
  } catch (error) {
    if (!signal.aborted) log.error(`The health check failed: ${name}`, { error });
    return result({ color: "RED", message: messageOf(error, name) });
  } finally {
    clearTimeout(timer);
  }
};

/** Strangers may read it: messages not meant for them stay in the log. */
const messageOf = (error: unknown, name: string): string => {
  if (error instanceof ServerError && error.failure !== "internal") return error.message;
  return `It failed. The log has the reason under "The health check failed: ${name}".`;
};

/** The worse of two colours. */
export const worseColor = (one: Color, other: Color): Color => {
  if (one === "RED" || other === "RED") return "RED";
  return one === "YELLOW" || other === "YELLOW" ? "YELLOW" : "GREEN";
};
