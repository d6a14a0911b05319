import { Busy } from "../../core/busy.ts";
import type { Logger } from "../../core/log.ts";
import { errorCacheControl } from "../connection/error-headers.ts";
import type { HttpDeps } from "./deps.ts";
import { errorPage, type Problem, type RenderedPage, statusLine } from "./error-page.ts";
import {
  answerTo,
  type ErrorResponse,
  ManyFaults,
  MethodNotAllowed,
  messageFor,
} from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { answerKeys } from "./keys.ts";
import { Refused } from "./refusal.ts";
import { refusals } from "./refusals.ts";
import type { Reply } from "./reply.ts";
import { addServerTiming } from "./timing.ts";

/** Ends an exchange with a thrown value; `form` overrides the format of the body. */
export type EndInFailure = (
  exchange: Exchange,
  error: unknown,
  form?: (problem: Problem) => RenderedPage,
) => void;

/** Every error of every request ends here: status, headers, body and log entry. */
export const failures = (deps: HttpDeps): EndInFailure => {
  const settings = deps.config.view(answerKeys);
  const refused = refusals(deps.log);
  return (exchange, thrown, form) => {
    const { request, reply, deadline } = exchange;
    // Errors thrown after the request was aborted are consequences of that.
    const error: unknown = deadline.reason ?? thrown;
    const { log_error_responses: loud, print_stack_trace_on_error_pages: stacks } = settings();
    const answer = answerTo(error);
    const { status, log, title } = answer;
    if (error instanceof Busy) refused(error);
    report(deps.log, exchange, { error, status, level: loud ? loudLevel(status, log) : log });
    const problem: Problem = {
      status,
      ...(title === undefined ? {} : { title }),
      message: messageFor(error),
      requestId: request.id,
      ...(error instanceof ManyFaults ? { faults: error.faults } : {}),
      ...(stacks && error instanceof Error ? { stack: traceOf(error) } : {}),
    };
    const page = form?.(problem) ?? errorPage(problem, request.headers.accept);
    addServerTiming(exchange);
    reply
      .code(status)
      .headers({
        ...hints(error, reply, answer),
        "cache-control": errorCacheControl,
        vary: "Accept",
      })
      .header("content-type", page.contentType)
      // As bytes: Fastify would add a charset to a string, which ld+json does not have.
      .send(Buffer.from(page.body));
  };
};

/** Headers that tell the client how to do better next time. */
const hints = (
  error: unknown,
  reply: Reply,
  { status, retryAfter }: ErrorResponse,
): Readonly<Record<string, string>> => ({
  ...(error instanceof MethodNotAllowed ? { allow: error.allowed.join(", ") } : {}),
  ...(error instanceof Refused && error.challenge !== undefined
    ? { "www-authenticate": error.challenge }
    : {}),
  // The error that asks for credentials may name its own scheme.
  ...(status === 401 && !(error instanceof Refused) && !reply.hasHeader("www-authenticate")
    ? { "www-authenticate": challenge }
    : {}),
  ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
});

interface LoggedFailure {
  readonly error: unknown;
  readonly status: number;
  readonly level: "debug" | "warn" | "error";
}

const report = (
  log: Logger,
  { request, target }: Exchange,
  { error, status, level }: LoggedFailure,
): void => {
  const facts = error instanceof Error ? { reason: error.message } : { reason: String(error) };
  // Stacks are logged only for errors that someone has to look into.
  const stack = level === "error" && error instanceof Error ? { error } : {};
  log[level](`${statusLine(status)} for ${request.method} ${target.path}`, {
    request: request.id,
    ...facts,
    ...stack,
  });
};

const challenge = 'Basic realm="Vitrine", charset="UTF-8"';

const loudLevel = (
  status: number,
  quiet: "debug" | "warn" | "error",
): "debug" | "warn" | "error" =>
  status >= 500 ? "error" : status === 404 || status === 499 ? quiet : "warn";

const traceOf = (error: Error): string => {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\nCaused by: ${traceOf(error.cause)}` : own;
};
