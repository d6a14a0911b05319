import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../../config/keys.ts";
import { versions } from "../../iiif/versions.ts";
import { recordAccess, respondingOf } from "../request/access.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange, OpenExchanges, ReceivedRequest } from "../request/exchange.ts";
import type { timingKeys } from "../request/keys.ts";
import type { Opening } from "../request/opening.ts";
import { PlainReply } from "../request/reply.ts";
import type { Target } from "../request/target.ts";
import { createEndpoint, type Endpoint, type EndpointTools } from "./endpoint.ts";

/** The image endpoints of all versions, on `node:http` itself. */
export interface Endpoints {
  /** Whether a target is that of an image endpoint, or lies below one. */
  includes(target: Target): boolean;
  /** Answers a request that `includes` accepts; `url` is its original target. Never throws. */
  answer(request: IncomingMessage, response: ServerResponse, url: string): void;
}

/** What requests go through, whichever endpoint answers them. */
interface Stages extends EndpointTools {
  readonly open: OpenExchanges;
  readonly begin: (exchange: Exchange) => Opening;
  readonly timing: () => Settings<typeof timingKeys>;
}

/** Creates the image endpoints. */
export const createEndpoints = (deps: HttpDeps, stages: Stages): Endpoints => {
  const { open, begin, timing, endInFailure } = stages;
  const endpoints = new Map<string, Endpoint>(
    versions.map((version) => [String(version.number), createEndpoint(version, deps, stages)]),
  );
  const endpointAt = ({ segments }: Target): Endpoint | undefined =>
    segments[0] === "iiif" ? endpoints.get(segments[1] ?? "") : undefined;

  const end = (exchange: Exchange, error: unknown): void => {
    const { raw } = exchange.reply;
    // Nothing can follow a response that has begun.
    if (raw.headersSent) raw.destroy(error instanceof Error ? error : undefined);
    else endInFailure(exchange, error);
  };

  return {
    includes: (target) => endpointAt(target) !== undefined,
    answer(request, response, url) {
      const exchange = open(new PlainRequest(request, url), new PlainReply(response));
      recordAccess(respondingOf(exchange), deps, timing);
      const opening = begin(exchange);
      if (opening === "answered") return;
      if (opening !== "continue") return end(exchange, opening);
      endpointAt(exchange.target)?.(exchange).catch((error: unknown) => end(exchange, error));
    },
  };
};

class PlainRequest implements ReceivedRequest {
  readonly raw: IncomingMessage;
  readonly id = randomUUID();
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly originalUrl: string;

  constructor(raw: IncomingMessage, url: string) {
    this.raw = raw;
    this.method = raw.method ?? "GET";
    this.headers = raw.headers;
    this.originalUrl = url;
  }
}
