import { type App, createApp } from "../app/app.ts";
import { configuredWorkers, memoryFor } from "../app/budget.ts";
import { environment } from "../config/environment.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import { type LogFields, silent } from "../core/log.ts";
import { type ExitCode, type Terminal, UsageError, writeError, writeWarning } from "./command.ts";
import { configure } from "./configuration.ts";
import { type Explained, type ExplainedRun, explanationOf } from "./explanation.ts";
import { reportOf } from "./explanation-report.ts";
import { type RequestRecorder, requestRecorder } from "./request-recorder.ts";

/** A request to explain. */
export interface ExplainRequest {
  /** Path and query. */
  readonly url: string;
  readonly host: string;
}

/** Options of the command line. */
export interface ExplainOptions {
  readonly folder: string | undefined;
  readonly config?: string | undefined;
  readonly do?: true | undefined;
  readonly json?: true | undefined;
}

/**
 * Prints how the server would answer a request; 1 where it would refuse it, 2 without a valid
 * configuration.
 */
export const explain = async (
  asked: ExplainRequest,
  { folder, config, do: twice, json }: ExplainOptions,
  terminal: Terminal,
): Promise<ExitCode> => {
  // Does not wait for the large sample image to be built.
  const ended = new AbortController();
  const signal = AbortSignal.any([terminal.signal, ended.signal]);
  try {
    const wanted = { command: "explain", folder, config };
    const found = await configure(wanted, environment(), { ...terminal, signal });
    if (found === undefined) return 2;
    try {
      const explained = await explainRequest(found.loaded.config, asked, {
        terminal,
        twice: twice === true,
      });
      const text = json ? `${JSON.stringify(explained, null, 2)}\n` : reportOf(explained);
      terminal.out(text);
      return exitCodeOf(explained);
    } finally {
      await found.loaded.close();
    }
  } finally {
    ended.abort();
  }
};

const exitCodeOf = ({ answer, runs = [] }: Explained): ExitCode =>
  [answer, ...runs].some(({ status }) => status >= 400) ? 1 : 0;

const explainRequest = async (
  config: Config,
  asked: ExplainRequest,
  { terminal, twice }: { readonly terminal: Terminal; readonly twice: boolean },
): Promise<Explained> => {
  const seen = requestRecorder();
  const here = machine();
  const app = await createApp({
    config,
    logs: {
      application: {
        ...silent,
        warn: (message, fields) => writeWarning(terminal, withCause(message, fields)),
        error: (message, fields) => writeError(terminal, withCause(message, fields)),
      },
      access: seen.access,
      close: async () => {},
    },
    // The limits of a worker, not of the whole machine.
    workers: configuredWorkers(config, memoryFor(config, here), here),
    around: seen,
  });
  try {
    // Before anything else, so that the first run meets a server that knows nothing yet.
    const runs = twice ? [await timed(app, asked, seen), await timed(app, asked, seen)] : undefined;
    seen.reset();
    seen.wantAll();
    const answer = await ask(app, asked, "HEAD");
    const { prepared, known, access, reading } = seen.last();
    return explanationOf({
      url: asked.url,
      // The response to HEAD has no body with the error.
      answer: answer.statusCode < 400 ? answer : await ask(app, asked, "GET", asJson),
      identifier: access?.identifier,
      known: prepared?.image ?? known,
      prepared,
      explanation: prepared && (await app.explain(prepared, terminal.signal)),
      runs,
      // The runs have read it already.
      requested: runs ? undefined : reading.requested,
    });
  } finally {
    await app.close();
  }
};

/** A log entry on a source's error, with the reason. */
const withCause = (message: string, { error }: LogFields = {}): string =>
  isOfSource(error) ? `${message}: ${sourceFailureText(error)}` : message;

const asJson = { accept: "application/json" };

type ExplainedResponse = Awaited<ReturnType<typeof ask>>;

const ask = (
  { listeners: [listener] }: App,
  { url, host }: ExplainRequest,
  method: "HEAD" | "GET",
  headers: Readonly<Record<string, string>> = {},
) => {
  if (listener === undefined)
    throw new UsageError("explain: expected http.enabled or https.enabled to be true");
  return listener.server.inject({ method, url, headers: { ...headers, host } });
};

const timed = async (
  app: App,
  asked: ExplainRequest,
  seen: RequestRecorder,
): Promise<ExplainedRun> => {
  seen.reset();
  const answer: ExplainedResponse = await ask(app, asked, "GET");
  const { access, reading } = seen.last();
  return {
    status: answer.statusCode,
    bytes: answer.rawPayload.length,
    milliseconds: access?.milliseconds ?? 0,
    stages: access?.stages ?? {},
    read: reading,
  };
};
