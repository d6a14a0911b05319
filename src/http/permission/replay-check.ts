import type {
  Delegate,
  DelegateContext,
  DelegateMethod,
  DelegateRequest,
  DelegateSession,
} from "../../core/delegate.ts";
import type { MetaIdentifier } from "../../core/identifier.ts";
import { type Decision, decision } from "../../delegate/answers.ts";
import { type AskingRequest, namedFacts } from "./delegate-context.ts";

/** What a delegate is asked about an answer before it is given again. */
export interface Question {
  readonly id: MetaIdentifier;
  /** What was known when the delegate let the answer pass. Frozen. */
  readonly facts: Partial<DelegateContext>;
}

/** Holds what a method threw. */
export class DelegateFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * Methods whose answers become part of an image: a client may have another one than the client
 * before.
 */
const drawn: readonly DelegateMethod[] = ["redactions", "overlay", "metadata"];

/**
 * Whether an image that was let pass may be given to whoever the delegate lets pass as well, by
 * what was known of it then. Not where the delegate looks at embedded metadata, which would have to
 * be kept for each answer.
 */
export const isSameForAll = (session: DelegateSession): boolean =>
  session.wantsMetadata !== true && drawn.every((method) => !session.has(method));

/**
 * What a delegate says of a request before its route is reached, so that it need not be asked
 * twice.
 */
export class Begun {
  readonly session: DelegateSession;
  #preAuthorize: Decision | DelegateFailure | undefined;
  #authorize: Decision | DelegateFailure | undefined;

  constructor(
    delegate: Delegate,
    id: MetaIdentifier,
    asking: AskingRequest & { readonly requestId: string },
  ) {
    this.session = delegate.session(namedFacts(asking, id), new Unhurried(asking.requestId));
  }

  /** What a method decided, or how it failed; undefined where it was not asked. */
  said(method: DelegateMethod): Decision | DelegateFailure | undefined {
    return method === "authorize" ? this.#authorize : this.#preAuthorize;
  }

  /** Has `authorize` asked again: what it was told of the image holds no more. */
  forgetAuthorize(): void {
    this.#authorize = undefined;
  }

  /**
   * Whether an answer may be given to this request, too. No promise where the delegate answers at
   * once.
   */
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

/** A request that only the delegate's own deadline ends. */
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
