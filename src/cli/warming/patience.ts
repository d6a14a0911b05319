import { sleep } from "../../core/abort.ts";
import { Unreachable, type WarmAnswer, WarmStopped, type WarmTarget } from "./target.ts";

/** How requests are repeated. */
export interface PatienceOptions {
  /** Waits milliseconds; a test's own. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since any moment. */
  readonly now?: () => number;
}

/** Maximum number of attempts where the target is busy, and where it fails. */
const maxBusy = 10;
const maxFailed = 3;
/** In milliseconds: the first wait, which doubles, and the longest. */
const firstWait = 500;
const longestWait = 60_000;

/** Statuses after which all requests wait: too many requests, and an overloaded server. */
const busy: ReadonlySet<number> = new Set([429, 503]);
/** Statuses of failures that may be temporary. */
const passing: ReadonlySet<number> = new Set([502, 504]);

/**
 * Retries requests that fail temporarily; after 429 and 503, all requests wait as long as
 * `Retry-After` says. Returns the last answer. Throws `Unreachable` if connections fail, and
 * `WarmStopped` if a login is missing.
 */
export const patient = (
  target: Pick<WarmTarget, "name" | "get" | "isOneLogin">,
  { wait = sleep, now = () => performance.now() }: PatienceOptions = {},
): WarmTarget["get"] => {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const pause = async (signal: AbortSignal): Promise<void> => {
    while (now() < pausedUntil) await wait(pausedUntil - now(), signal);
  };
  return async (path, signal) => {
    for (let attempt = 1; ; attempt++) {
      await pause(signal);
      const outcome = await attempted(target, path, signal);
      if (!isWorthRetrying(outcome, attempt)) return answerOf(outcome, target);
      const ms = waitAfter(outcome, attempt);
      if (!(outcome instanceof Unreachable) && passing.has(outcome.status)) await wait(ms, signal);
      else pausedUntil = Math.max(pausedUntil, now() + ms);
    }
  };
};

const isWorthRetrying = (outcome: WarmAnswer | Unreachable, attempt: number): boolean => {
  if (outcome instanceof Unreachable) return attempt < maxFailed;
  if (busy.has(outcome.status)) return attempt < maxBusy;
  return passing.has(outcome.status) && attempt < maxFailed;
};

const answerOf = (
  outcome: WarmAnswer | Unreachable,
  target: Pick<WarmTarget, "name" | "isOneLogin">,
): WarmAnswer => {
  if (outcome instanceof Unreachable) throw outcome;
  if (outcome.status === 401 && target.isOneLogin) throw new WarmStopped(loginMissing(target));
  return outcome;
};

const attempted = async (
  { get }: Pick<WarmTarget, "get">,
  path: string,
  signal: AbortSignal,
): Promise<WarmAnswer | Unreachable> => {
  try {
    return await get(path, signal);
  } catch (error) {
    if (error instanceof Unreachable && !signal.aborted) return error;
    throw error;
  }
};

const waitAfter = (answer: WarmAnswer | Unreachable, attempt: number): number => {
  const told = answer instanceof Unreachable ? undefined : answer.retryAfter;
  const ms = told === undefined ? 0 : told * 1_000;
  return Math.min(longestWait, Math.max(ms, firstWait * 2 ** (attempt - 1)));
};

const loginMissing = ({ name }: Pick<WarmTarget, "name">): string =>
  `${name} requires a login (401): pass an Authorization or Cookie header with --header-file or --header-env`;
