import type {
  AnswerCheck,
  DelegateContext,
  DelegateMethod,
  DelegateRequest,
  DelegateSession,
} from "../../core/delegate.ts";
import { contextOf } from "../context.ts";
import { checkedAnswer, methodFailure, type NamedCall } from "../method-answers.ts";
import { CallFault } from "./asking.ts";
import { chosenContext } from "./document.ts";
import type { DelegateService } from "./service.ts";

/** The inputs of a session. */
export interface HttpSessionParts {
  readonly service: DelegateService;
  readonly facts: Partial<DelegateContext>;
  readonly request: DelegateRequest;
}

/** The delegate of one request, over HTTP. */
export class HttpSession implements DelegateSession {
  readonly #parts: HttpSessionParts;
  #learned: Partial<DelegateContext> | undefined;
  #context: DelegateContext | undefined;

  constructor(parts: HttpSessionParts) {
    this.#parts = parts;
  }

  get wantsMetadata(): boolean {
    return [...(this.#parts.service.methods?.values() ?? [])].some(
      (choice) => choice === "all" || choice.some(({ key }) => key === "metadata"),
    );
  }

  /**
   * True while the methods are unknown: then the call fails, and nothing is shown for lack of an
   * answer.
   */
  has(method: DelegateMethod): boolean {
    return this.#parts.service.methods?.has(method) ?? true;
  }

  learn(facts: Partial<DelegateContext>): void {
    this.#learned = this.#learned ? { ...this.#learned, ...facts } : facts;
    this.#context = undefined;
  }

  call<T>(method: DelegateMethod, check: AnswerCheck<T>, argument?: unknown): T | Promise<T> {
    const { service, request, facts } = this.#parts;
    const { id, signal } = request;
    signal.throwIfAborted();
    const identifier = this.#learned?.identifier ?? facts.identifier;
    const called: NamedCall = { method, id, identifier };
    if (!this.has(method))
      throw methodFailure(called, "is not there, but the configuration asks for it");
    // Each caller gets its own value, also of cached results.
    const read = (text: string): T => checkedAnswer(JSON.parse(text), check, called);
    const failed = (error: unknown): never => {
      if (error instanceof CallFault) throw methodFailure(called, error.message, error.cause);
      throw error;
    };
    let answer: string | Promise<string>;
    try {
      answer = service.call(method, this.#body(method, argument), signal);
    } catch (error) {
      return failed(error);
    }
    return typeof answer === "string" ? read(answer) : answer.then(read, failed);
  }

  #body(method: DelegateMethod, argument: unknown): string {
    this.#context ??= contextOf(this.#parts.facts, this.#learned);
    const context = chosenContext(this.#context, this.#parts.service.choice(method) ?? "all");
    return JSON.stringify(argument === undefined ? { context } : { context, argument }, inJson);
  }
}

/** Values without a JSON form: bytes are written in base64, integers of any length as text. */
const inJson = (_key: string, value: unknown): unknown => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  return typeof value === "bigint" ? value.toString() : value;
};
