import { Busy, Quarantined } from "../../core/busy.ts";
import { type Failure, ServerError } from "../../core/errors.ts";

import { Refused } from "./refusal.ts";

/** The HTTP response to an error. */
export interface ErrorResponse {
  readonly status: number;
  readonly log: "debug" | "warn" | "error";
  /** A short title of the problem, where the status' own phrase does not fit. */
  readonly title?: string;
  /** Whether the message is meant for the client. */
  readonly show: boolean;
  /** The value of Retry-After in seconds. */
  readonly retryAfter?: number;
}

/**
 * The one place where an error becomes an HTTP status. A new kind of error does not compile until
 * it has a row.
 */
export const answers: Readonly<Record<Failure, ErrorResponse>> = {
  malformed: { status: 400, log: "debug", show: true },
  unauthenticated: { status: 401, log: "debug", show: true },
  denied: { status: 403, log: "debug", show: true },
  missing: { status: 404, log: "debug", show: true },
  lengthy: { status: 414, log: "debug", show: true },
  unsupported: { status: 415, log: "debug", show: true },
  aborted: { status: 499, log: "debug", show: false },
  internal: { status: 500, log: "error", show: false },
  unimplemented: { status: 501, log: "debug", show: true },
  unreadable: { status: 501, log: "warn", show: true, title: "Image Cannot Be Read" },
  upstream: { status: 502, log: "error", show: false },
  busy: { status: 503, log: "warn", show: true, retryAfter: 5 },
  late: { status: 504, log: "warn", show: true },
};

/**
 * A request whose method the resource does not have; HTTP's own error, unknown to the folders
 * below.
 */
export class MethodNotAllowed extends Error {
  readonly allowed: readonly string[];
  constructor(method: string, allowed: readonly string[]) {
    super(`method: expected one of ${allowed.join(", ")} here, got ${method}`);
    this.name = "MethodNotAllowed";
    this.allowed = allowed;
  }
}

/** A login attempt that is ignored after too many wrong ones; HTTP's own error as well. */
export class TooManyAttempts extends Error {
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super(`Too many wrong attempts: the next one counts in ${retryAfter} s.`);
    this.name = "TooManyAttempts";
    this.retryAfter = retryAfter;
  }
}

/** Input with several faults, each reported separately. */
export class ManyFaults extends ServerError {
  readonly faults: readonly string[];
  constructor(faults: readonly string[], failure: Failure = "malformed") {
    super(failure, faults.join("\n"));
    this.name = "ManyFaults";
    this.faults = faults;
  }
}

/** The response to any thrown value. */
export const answerTo = (error: unknown): ErrorResponse => {
  // There may be thousands of these in a second; http/request/refusals.ts logs them in sum.
  if (error instanceof Busy) return { ...answers.busy, log: "debug", retryAfter: error.retryAfter };
  if (error instanceof Quarantined) return { ...answers.busy, retryAfter: error.retryAfter };
  if (error instanceof Refused) return { status: error.status, log: "debug", show: true };
  if (error instanceof TooManyAttempts)
    return { status: 429, log: "debug", show: true, retryAfter: error.retryAfter };
  if (error instanceof ServerError) return answers[error.failure];
  if (error instanceof MethodNotAllowed) return { status: 405, log: "debug", show: true };
  const status = refusedByParser(error);
  return status === undefined ? answers.internal : { status, log: "debug", show: true };
};

// Fastify rejects some requests itself; its errors carry the status.
const refusedByParser = (error: unknown): number | undefined =>
  error instanceof Error &&
  "code" in error &&
  String(error.code).startsWith("FST_ERR_") &&
  "statusCode" in error &&
  typeof error.statusCode === "number" &&
  error.statusCode >= 400 &&
  error.statusCode < 500
    ? error.statusCode
    : undefined;

/**
 * The message for the client: the error's own where it was meant for clients, else a general one.
 */
export const messageFor = (error: unknown): string => {
  const { show, status } = answerTo(error);
  if (show && error instanceof Error) return error.message;
  return status === 502
    ? "The storage of the image failed to respond properly. The server's log has details under the request's id."
    : "The server failed to answer this request. Its log has details under the request's id.";
};
