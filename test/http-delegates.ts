import { onTestFinished } from "vitest";
import { httpDelegateAt } from "../src/app/delegate.ts";
import { Config } from "../src/config/store.ts";
import type { DelegateContext, DelegateMethod } from "../src/core/delegate.ts";
import { silent } from "../src/core/log.ts";
import { decision } from "../src/delegate/answers.ts";
import {
  type HttpDelegateServer,
  type Reply,
  type SeenRequest,
  startHttpDelegate,
} from "./servers/http-delegate.ts";

/** The key of signatures. */
export const secret = "a secret of 16 or more";
/** A delegate's description: these methods, each of which is sent the whole context. */
export const methods = (...names: readonly DelegateMethod[]): Reply => ({
  json: { methods: Object.fromEntries(names.map((name) => [name, {}])) },
});

/** Starts a delegate for the duration of the test. */
export const serve = async (
  reply: (request: SeenRequest) => Reply | Promise<Reply>,
  document: () => Reply = () => methods("pre_authorize"),
  port = 0,
): Promise<HttpDelegateServer> => {
  const server = await startHttpDelegate(
    (request) => (request.name === "methods" ? document() : reply(request)),
    port,
  );
  onTestFinished(() => server.close());
  return server;
};

/** A delegate as the server sees it, checked at short intervals. */
export const connect = (
  url: string,
  values: Readonly<Record<string, unknown>> = {},
  log = silent,
) => {
  const config = new Config({
    "delegate.http.url": url,
    "delegate.http.secret": secret,
    "delegate.http.timeout": 5,
    ...values,
  });
  const made = httpDelegateAt(config, log, new URL(url), { lookMs: 50, retryMs: 20 });
  onTestFinished(() => made.end());
  return made;
};

type Made = ReturnType<typeof connect>;

/** The session of a request. */
export const sessionOf = (
  { delegate }: Made,
  facts: Partial<DelegateContext> = { identifier: "a.tif" },
  signal = new AbortController().signal,
) => delegate.session(facts, { id: "r-1", signal });

/** The delegate's decision on a request. */
export const authorize = async (made: Made, facts?: Partial<DelegateContext>): Promise<unknown> =>
  sessionOf(made, facts).call("pre_authorize", decision);

/** Waits until a condition holds, limited by the test's deadline. */
export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
