import type {
  AnswerCheck,
  DelegateContext,
  DelegateMethod,
  DelegateRequest,
  DelegateSession,
} from "../core/delegate.ts";
import type { ServerError } from "../core/errors.ts";
import { contextOf } from "./context.ts";
import { checkedAnswer, methodFailure, type NamedCall } from "./method-answers.ts";
import type { Script } from "./script/script.ts";
import { CallSignal, type ScriptDeadline } from "./script/signal.ts";
import { reasonOf } from "./script/values.ts";

/** The inputs of a session. */
export interface SessionParts {
  readonly script: Script;
  readonly facts: Partial<DelegateContext>;
  readonly request: DelegateRequest;
  /** Time limit of one call in seconds. */
  readonly seconds: number;
}

/** The delegate of one request: an object of its own, created at the first call. */
export class ScriptSession implements DelegateSession {
  readonly #parts: SessionParts;
  #learned: Partial<DelegateContext> | undefined;
  #context: DelegateContext | undefined;
  #instance: { readonly [name: string]: unknown; context?: DelegateContext } | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get wantsMetadata(): boolean {
    return this.#parts.script.wantsMetadata ?? false;
  }

  has(method: DelegateMethod): boolean {
    return this.#parts.script.methods.has(method);
  }

  learn(facts: Partial<DelegateContext>): void {
    this.#learned = this.#learned ? { ...this.#learned, ...facts } : facts;
    this.#context = undefined;
  }

  call<T>(method: DelegateMethod, check: AnswerCheck<T>, argument?: unknown): T | Promise<T> {
    const { script, seconds, request } = this.#parts;
    const over = "reason" in request ? request.reason : reasonOfAbort(request.signal);
    if (over !== undefined) throw over;
    const name = script.methods.get(method);
    if (name === undefined)
      throw this.#failure(method, "is not there, but the configuration asks for it");
    const call = new CallSignal(request);
    let answer: unknown;
    let waits: boolean;
    try {
      answer = this.#invoke(name, argument === undefined ? call : argument);
      waits = isPromise(answer);
    } catch (cause) {
      throw this.#thrown(method, cause);
    }
    if (!waits) return this.#checked(method, check, answer);
    const deadline: ScriptDeadline = {
      seconds,
      late: () => this.#failure(method, `did not answer within ${seconds} s`),
    };
    return call
      .race(answer as PromiseLike<unknown>, deadline)
      .then((settled) =>
        settled.ok
          ? this.#checked(method, check, settled.value)
          : Promise.reject(this.#thrown(method, settled.cause)),
      );
  }

  #invoke(name: string, argument: unknown): unknown {
    this.#context ??= contextOf(this.#parts.facts, this.#learned);
    this.#instance ??= this.#parts.script.create();
    this.#instance.context = this.#context;
    return (this.#instance[name] as Method)(argument, this.#context);
  }

  #thrown(method: DelegateMethod, cause: unknown): ServerError {
    return this.#failure(method, `threw ${reasonOf(cause)}`, cause);
  }

  #checked<T>(method: DelegateMethod, check: AnswerCheck<T>, answer: unknown): T {
    return checkedAnswer(answer, check, this.#called(method));
  }

  #failure(method: DelegateMethod, what: string, cause?: unknown): ServerError {
    return methodFailure(this.#called(method), what, cause);
  }

  #called(method: DelegateMethod): NamedCall {
    const identifier = this.#learned?.identifier ?? this.#parts.facts.identifier;
    return { method, id: this.#parts.request.id, identifier };
  }
}

const reasonOfAbort = ({ aborted, reason }: AbortSignal): unknown => (aborted ? reason : undefined);

type Method = (argument: unknown, context: DelegateContext) => unknown;

const isPromise = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";
