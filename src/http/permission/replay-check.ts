import type {
  Delegate,
  DelegateContext,
  DelegateMethod,
  DelegateRequest,
  DelegateSession,
} from "../../core/delegate.ts";
import type { MetaIdentifier } from "../../core/identifier.ts";
import { type Decision, decision } from "../../delegate/answers.ts";
import { namedFacts, type UnresolvedRequest } from "./delegate-context.ts";

/** What a delegate is asked before a response is replayed. */
export interface Question {
  readonly id: MetaIdentifier;
  /** The context with which the delegate allowed the response. Frozen. */
  readonly facts: Partial<DelegateContext>;
}

/** Keeps what a method threw. */
export class DelegateFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** Methods whose results change the image: another client may get another one. */
const drawn: readonly DelegateMethod[] = ["redactions", "overlay", "metadata"];

/**
 * Whether a response may be replayed to every client that the delegate allows, given the same
 * context. Not where the delegate reads embedded metadata, which would have to be kept for each
 * response.
 */
export const isSameForAll = (session: DelegateSession): boolean =>
  session.wantsMetadata !== true && drawn.every((method) => !session.has(method));

/**
 * The delegate's decision on a request before its route is reached, so that it is asked only once.
 */
export class EarlyDecision {
  readonly session: DelegateSession;
  #preAuthorize: Decision | DelegateFailure | undefined;
  #authorize: Decision | DelegateFailure | undefined;

  constructor(
    delegate: Delegate,
    id: MetaIdentifier,
    asking: UnresolvedRequest & { readonly requestId: string },
  ) {
    this.session = delegate.session(namedFacts(asking, id), new Unhurried(asking.requestId));
  }

  /** What a method decided, or its error; undefined where it was not called. */
  said(method: DelegateMethod): Decision | DelegateFailure | undefined {
    return method === "authorize" ? this.#authorize : this.#preAuthorize;
  }

  /** Has `authorize` called again, since its context changed. */
  forgetAuthorize(): void {
    this.#authorize = undefined;
  }

  /** Whether a response may be replayed to this request, too. Synchronous where the delegate is. */
  allows(facts: Partial<DelegateContext>): boolean | Promise<boolean> {
    if (!isSameForAll(this.session)) return false;
    const may = this.#ask("pre_authorize");
    if (may instanceof Promise) return may.then((is) => is && this.#authorizes(facts));
    return may === false ? false : this.#authorizes(facts);
  }

  #authorizes(facts: Partial<DelegateContext>): boolean | Promise<boolean> {
    this.session.learn(facts);
    return this.#ask("authorize");
  }

  #ask(method: "pre_authorize" | "authorize"): boolean | Promise<boolean> {
    if (!this.session.has(method)) return true;
    try {
      const decided = this.session.call(method, decision);
      if (!(decided instanceof Promise)) return this.#note(method, decided);
      return decided.then(
        (settled) => this.#note(method, settled),
        (error: unknown) => this.#note(method, new DelegateFailure(error)),
      );
    } catch (error) {
      return this.#note(method, new DelegateFailure(error));
    }
  }

  #note(method: "pre_authorize" | "authorize", said: Decision | DelegateFailure): boolean {
    if (method === "authorize") this.#authorize = said;
    else this.#preAuthorize = said;
    return !(said instanceof DelegateFailure) && said.kind === "allow";
  }
}

/** A signal that only the delegate's own deadline aborts. */
class Unhurried implements DelegateRequest {
  readonly id: string;
  readonly reason = undefined;

  constructor(id: string) {
    this.id = id;
  }

  get signal(): AbortSignal {
    return new AbortController().signal;
  }
}
