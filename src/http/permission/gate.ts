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
import { type Begun, DelegateFailure, isSameForAll, type Question } from "./replay-check.ts";

/** A request as the delegate sees it, and where a scale redirect leads. */
export interface Gate {
  readonly session: DelegateSession;
  /** Reads what is embedded in the image, where the delegate may want to know. */
  look(image: KnownImage): Promise<void>;
  /**
   * Asks whether the request may go on. Undefined if it may; otherwise an answer of the delegate's
   * own was sent, or `Refused` is thrown. Nothing of the image may be sent before.
   */
  preAuthorize(): Promise<"answered" | undefined>;
  /** As `preAuthorize`, for what is known now. */
  authorize(asked: ImageRequest, prepared: Prepared): Promise<"answered" | undefined>;
  /**
   * What the delegate is to be asked before the answer is given again; undefined where it may not
   * be.
   */
  question(): Question | undefined;
}

/** Starts the session of a request about an image with its delegate. */
export const sessionOf = (
  delegate: Delegate,
  exchange: Pick<Exchange, "request" | "address" | "target" | "deadline">,
  id: MetaIdentifier,
): DelegateSession => {
  const { request, address, target, deadline } = exchange;
  const facts = namedFacts({ raw: request.raw, address, target }, id);
  return delegate.session(facts, new Hurried(request.id, deadline));
};

/** A request that its deadline ends; its signal is made when it is first needed. */
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

/**
 * Throws `Refused` where the image may not be seen at all; a smaller size of it is as good as any.
 */
export const refuseUnlessSeen = async (
  session: DelegateSession,
  { deadline }: Pick<Exchange, "deadline">,
): Promise<void> => {
  const decided = await decide(session, "pre_authorize", { deadline });
  if (decided?.kind === "deny") throw new Refused(decided.status, decided.challenge);
  if (decided?.kind === "redirect") throw new Refused(403);
};

/** What the delegate decides; undefined where it has no such method. */
const decide = async (
  session: DelegateSession,
  method: DelegateMethod,
  {
    deadline,
    begun,
  }: { readonly deadline: Exchange["deadline"]; readonly begun?: Begun | undefined },
): Promise<Decision | undefined> => {
  const said = begun?.said(method);
  if (said instanceof DelegateFailure) throw said.error;
  if (said !== undefined) return said;
  if (!session.has(method)) return undefined;
  const asked = session.call(method, decision);
  return asked instanceof Promise ? deadline.race(asked) : asked;
};

/** Opens the gate of a request: a session of the delegate that knows the request. */
export const gateOf = (
  delegate: Delegate,
  exchange: Exchange,
  named: Pick<NamedImage, "id" | "session">,
  deps: Pick<IiifDeps, "identifierSyntax" | "isTransformed" | "embedded" | "replays"> & {
    /** What stands before the identifier in its segment. */
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
  // What a header cannot hold is percent-encoded.
  const location = URL.canParse(target) ? new URL(target).href : target;
  reply
    .code(status)
    // Whom the delegate lets in may change at any time.
    .headers({ location, "cache-control": errorCacheControl })
    .type("text/plain; charset=utf-8")
    .send(`Redirect: ${location}\n`);
  return "answered";
};

/** The public URI of a request with another identifier segment; its query goes along. */
const constrainedUri = ({ address, target }: Exchange, segment: string): string => {
  const [root, version, , ...rest] = target.segments;
  const query = target.query === undefined ? "" : `?${target.query}`;
  return `${address.base}/${[root, version, segment, ...rest].join("/")}${query}`;
};
