import { STATUS_CODES } from "node:http";
import type { Problem, RenderedPage } from "../request/error-page.ts";
import { TooManyAttempts } from "../request/errors.ts";

/** A problem as the panel receives it (RFC 9457). */
export const problemJson =
  (error: unknown) =>
  ({ status, message, requestId, faults, stack }: Problem): RenderedPage => ({
    contentType: "application/problem+json; charset=utf-8",
    body: JSON.stringify({
      status,
      title: STATUS_CODES[status] ?? "Unknown",
      detail: message,
      requestId,
      ...(faults ? { faults } : {}),
      ...(error instanceof TooManyAttempts ? { retryAfter: error.retryAfter } : {}),
      ...(stack === undefined ? {} : { stack }),
    }),
  });
