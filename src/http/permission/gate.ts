import type {
  Delegate,
  DelegateContext,
  DelegateMethod,
  DelegateRequest,
  DelegateSession,
} from "../../core/delegate.ts";
import { type MetaIdentifier, reduceConstraint } from "../../core/identifier.ts";
import type { ImageRequest } from "../../core/request.ts";
import { type Decision, decision } from "../../delegate/answers.ts";
import { frozenFacts } from "../../delegate/context.ts";
import type { KnownImage } from "../../service/known.ts";
import type { Prepared } from "../../service/prepared.ts";
import { errorCacheControl } from "../connection/error-headers.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";
import { Refused } from "../request/refusal.ts";
import { namedFacts, responseFacts } from "./delegate-context.ts";
import type { IiifDeps } from "./deps.ts";
import { segmentFor } from "./identifier.ts";
import {
  DelegateFailure,
  type EarlyDecision,
  isSameForAll,
  type Question,
} from "./replay-check.ts";

/** A request as the delegate sees it, and the target of a scale redirect. */
export interface Gate {
  readonly session: DelegateSession;
  /** Reads the embedded metadata for the delegate. */
  look(image: KnownImage): Promise<void>;
  /**
   * Asks the delegate whether the request may proceed. Undefined if it may; otherwise a response of
   * the delegate's was sent, or `Refused` is thrown. Nothing of the image may be sent before.
   */
  preAuthorize(): Promise<"answered" | undefined>;
  /** As `preAuthorize`, by what is known now. */
  authorize(asked: ImageRequest, prepared: Prepared): Promise<"answered" | undefined>;
  /** What to ask the delegate before the response is replayed; undefined where it must not be. */
  question(): Question | undefined;
}

/** Starts the delegate session of a request about an image. */
export const sessionOf = (
  delegate: Delegate,
  exchange: Pick<Exchange, "request" | "address" | "target" | "deadline">,
  id: MetaIdentifier,
): DelegateSession => {
  const { request, address, target, deadline } = exchange;
  const facts = namedFacts({ raw: request.raw, address, target }, id);
  return delegate.session(facts, new Hurried(request.id, deadline));
};

/** A signal that aborts at the request's deadline; created on first use. */
class Hurried implements DelegateRequest {
  readonly id: string;
  readonly #deadline: Exchange["deadline"];

  constructor(id: string, deadline: Exchange["deadline"]) {
    this.id = id;
    this.#deadline = deadline;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get reason(): unknown {
    return this.#deadline.reason;
  }
}

/** Throws `Refused` where the image may not be seen at all; access to a smaller size is enough. */
export const refuseUnlessSeen = async (
  session: DelegateSession,
  { deadline }: Pick<Exchange, "deadline">,
): Promise<void> => {
  const decided = await decide(session, "pre_authorize", { deadline });
  if (decided?.kind === "deny") throw new Refused(decided.status, decided.challenge);
  if (decided?.kind === "redirect") throw new Refused(403);
};

/** The delegate's decision; undefined where it has no such method. */
const decide = async (
  session: DelegateSession,
  method: DelegateMethod,
  {
    deadline,
    begun,
  }: { readonly deadline: Exchange["deadline"]; readonly begun?: EarlyDecision | undefined },
): Promise<Decision | undefined> => {
  const said = begun?.said(method);
  if (said instanceof DelegateFailure) throw said.error;
  if (said !== undefined) return said;
  if (!session.has(method)) return undefined;
  const asked = session.call(method, decision);
  return asked instanceof Promise ? deadline.race(asked) : asked;
};

/** Opens the gate of a request: a delegate session with the request's context. */
export const gateOf = (
  delegate: Delegate,
  exchange: Exchange,
  named: Pick<NamedImage, "id" | "session">,
  deps: Pick<IiifDeps, "identifierSyntax" | "isTransformed" | "embedded" | "replays"> & {
    /** The prefix of the segment before the identifier. */
    readonly mark?: string;
  },
): Gate => {
  const { deadline } = exchange;
  const { id } = named;
  const begun = deps.replays.begun(exchange.request.raw);
  const session = named.session ?? begun?.session ?? sessionOf(delegate, exchange, id);
  let known: Partial<DelegateContext> | undefined;
  const ask = async (method: DelegateMethod): Promise<"answered" | undefined> => {
    const decided = await decide(session, method, { deadline, begun });
    return decided && follow(decided);
  };
  const follow = async (decided: Decision): Promise<"answered" | undefined> => {
    switch (decided.kind) {
      case "allow":
        return undefined;
      case "deny":
        throw new Refused(decided.status, decided.challenge);
      case "redirect":
        return redirectTo(exchange, decided.status, decided.location);
      case "scale": {
        const constraint = reduceConstraint(decided);
        const segment = await segmentFor({ ...id, constraint }, session, exchange, deps);
        return redirectTo(
          exchange,
          decided.status,
          constrainedUri(exchange, (deps.mark ?? "") + segment),
        );
      }
    }
  };
  const look = async (image: KnownImage): Promise<void> => {
    if (!session.wantsMetadata || deps.embedded === undefined) return;
    const found = deps.embedded.of(id.identifier, image, deadline.signal);
    session.learn({ metadata: found instanceof Promise ? await deadline.race(found) : found });
  };
  return {
    session,
    look,
    preAuthorize: () => ask("pre_authorize"),
    authorize(asked, prepared) {
      known = responseFacts(asked, prepared);
      session.learn(known);
      return ask("authorize");
    },
    question: () =>
      known && named.session === undefined && isSameForAll(session)
        ? { id, facts: frozenFacts(known) }
        : undefined,
  };
};

const redirectTo = ({ reply }: Exchange, status: number, target: string): "answered" => {
  // Characters that a header cannot hold are percent-encoded.
  const location = URL.canParse(target) ? new URL(target).href : target;
  reply
    .code(status)
    // The delegate may let other clients in at any time.
    .headers({ location, "cache-control": errorCacheControl })
    .type("text/plain; charset=utf-8")
    .send(`Redirect: ${location}\n`);
  return "answered";
};

/** The public URI of a request with another identifier segment and the same query. */
const constrainedUri = ({ address, target }: Exchange, segment: string): string => {
  const [root, version, , ...rest] = target.segments;
  const query = target.query === undefined ? "" : `?${target.query}`;
  return `${address.base}/${[root, version, segment, ...rest].join("/")}${query}`;
};
