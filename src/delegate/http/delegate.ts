import type { Config } from "../../config/store.ts";
import { untilAborted } from "../../core/abort.ts";
import type { Delegate } from "../../core/delegate.ts";
import { fail, ServerError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import type { OriginState } from "../../core/source.ts";
import { CallFault, type Send } from "./asking.ts";
import { KeptAnswers } from "./cached-answers.ts";
import { delegateAddress, delegateFaults, httpDelegateKeys } from "./keys.ts";
import { DelegateService } from "./service.ts";
import { HttpSession } from "./session.ts";

/** A delegate over HTTP that is monitored until it is closed. */
export interface HttpDelegate {
  readonly delegate: Delegate;
  /** Its methods as it declares them; undefined before it was first reached. */
  readonly service: DelegateService;
  /** Asks it for its methods; throws `upstream` where that fails. */
  reach(signal: AbortSignal): Promise<"there">;
  state(): OriginState;
  close(): void;
}

/** How the configured delegate is accessed. */
export interface HttpPlace {
  readonly url: URL;
  readonly send: Send;
  /** Milliseconds between two checks for its methods; 10 000. */
  readonly lookMs?: number;
  /** Milliseconds before the first retry while it is unavailable; 500. */
  readonly retryMs?: number;
}

/**
 * The URL of the configured delegate; undefined where there is none over HTTP. Throws `malformed`
 * where its keys are invalid.
 */
export const httpDelegateUrl = (config: Config): URL | undefined => {
  const faults = delegateFaults({ values: config.current });
  if (faults.length > 0) fail("malformed", faults.map(({ message }) => message).join("\n"));
  const text = config.view(httpDelegateKeys)()["delegate.http.url"];
  return text === "" ? undefined : delegateAddress(text);
};

/** Creates the configured delegate; sends no request before `service.start` or `reach`. */
export const createHttpDelegate = (
  config: Config,
  log: Logger,
  { url, send, lookMs, retryMs }: HttpPlace,
): HttpDelegate => {
  const settings = config.view(httpDelegateKeys);
  const service = new DelegateService({
    asking: () => ({
      send,
      base: url,
      secret: settings()["delegate.http.secret"],
      seconds: settings()["delegate.http.timeout"],
    }),
    maxSeconds: () => settings()["delegate.http.cache.max_age"],
    kept: new KeptAnswers(settings()["delegate.http.cache.target_size"]),
    log,
    ...(lookMs === undefined ? {} : { lookMs }),
    ...(retryMs === undefined ? {} : { retryMs }),
  });
  return {
    delegate: { session: (facts, request) => new HttpSession({ service, facts, request }) },
    service,
    async reach(signal) {
      try {
        await untilAborted(signal, service.look());
        return "there";
      } catch (error) {
        if (!(error instanceof CallFault)) throw error;
        throw new ServerError("upstream", `The delegate ${url.href} ${error.message}.`, {
          cause: error.cause ?? error,
        });
      }
    },
    state: () => service.state,
    close: () => service.close(),
  };
};
