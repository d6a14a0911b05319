import type { ServerResponse } from "node:http";
import { ServerError } from "../core/errors.ts";

/** What ends a request early, and how its work is raced against that. */
export interface Deadline {
  /** Aborts with a `late` or an `aborted` failure as its reason. */
  readonly signal: AbortSignal;
  /** The work's outcome, or the reason as soon as the signal aborts, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T>;
}

/** Starts a deadline that ends with the response, or when the client leaves before that. */
export const startDeadline = (response: ServerResponse, seconds: number): Deadline => {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new ServerError("late", `The request took longer than ${seconds} s and was given up`),
    );
  }, seconds * 1000);
  let whole = false;
  response.once("finish", () => {
    whole = true;
  });
  response.once("close", () => {
    clearTimeout(timer);
    if (!whole) controller.abort(new ServerError("aborted", "The client left before the answer"));
  });
  const { signal } = controller;
  return { signal, race: (work) => raceAgainst(signal, work) };
};

const raceAgainst = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work
      .then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error))
      .finally(() => signal.removeEventListener("abort", abort));
  });
