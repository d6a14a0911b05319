import { createHash } from "node:crypto";
import type { DelegateMethod } from "../../core/delegate.ts";
import type { Logger } from "../../core/log.ts";
import { SingleFlight } from "../../core/singleflight.ts";
import type { OriginState } from "../../core/source.ts";
import { ask, CallFault, type ServiceRequests } from "./asking.ts";
import { freshnessSeconds, type KeptAnswers } from "./cached-answers.ts";
import { type ContextChoice, type Methods, readDocument } from "./document.ts";

/** The dependencies of a service. */
export interface ServiceParts {
  readonly asking: () => ServiceRequests;
  /** Maximum seconds for which results are cached. */
  readonly maxSeconds: () => number;
  readonly kept: KeptAnswers;
  readonly log: Logger;
  /** Milliseconds between two checks for its methods. */
  readonly lookMs?: number;
  /**
   * Milliseconds before the first retry while the delegate is unavailable; doubled with each, up to
   * `lookMs`.
   */
  readonly retryMs?: number;
}

/**
 * Consecutive unanswered requests after which the delegate is not called until it has described
 * itself again.
 */
const maxFailures = 5;
/**
 * Maximum number of requests in flight; those beyond the connections wait, and that must be
 * bounded.
 */
const maxRunning = 2_000;

/**
 * A delegate over HTTP: knows its methods, calls them, and caches results where allowed. While it
 * is unavailable, no method is called and everything fails at once; it is retried in the
 * background.
 */
export class DelegateService {
  readonly #parts: Required<ServiceParts>;
  readonly #flights = new SingleFlight<string>();
  readonly #closing = new AbortController();
  readonly #counts = { running: 0, requests: 0, failures: 0, bytes: 0, ms: 0 };
  #methods: Methods | undefined;
  #document = "";
  #inRow = 0;
  #fault: CallFault | undefined;
  #retries = 0;
  #told: string | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = { lookMs: 10_000, retryMs: 500, ...parts };
  }

  /**
   * Looks for the delegate, and keeps checking it. Resolves after the first attempt, whatever its
   * result.
   */
  async start(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      // It was logged.
      if (error instanceof CallFault || this.#closing.signal.aborted) return;
      this.#parts.log.error("The delegate's methods could not be determined", { err: error });
    }
  }

  /** The methods of the delegate; undefined before it was first reached. */
  get methods(): Methods | undefined {
    return this.#methods;
  }

  get state(): OriginState {
    const { running, ...counts } = this.#counts;
    const looked = this.#looking === undefined ? "open" : "trying";
    return {
      origin: this.#parts.asking().base.origin,
      breaker: this.#isDown ? looked : "closed",
      running,
      waiting: 0,
      ...counts,
    };
  }

  /**
   * Calls a method, or returns the cached result of the same body: synchronously then. The result
   * is JSON. Throws `CallFault` where there is none, and the signal's reason.
   */
  call(method: DelegateMethod, body: string, signal: AbortSignal): string | Promise<string> {
    if (this.#isDown) throw this.#unreachable();
    const key = createHash("sha256").update(`${method}.${body}`).digest("base64");
    const kept = this.#parts.kept.get(key);
    return (
      kept ?? this.#flights.run(key, signal, (shared) => this.#send(method, body, key, shared))
    );
  }

  /** Asks the delegate for its methods. Throws `CallFault`. */
  look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#plan();
    });
    return this.#looking;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  get #isDown(): boolean {
    return this.#methods === undefined || this.#inRow >= maxFailures;
  }

  /** Another error for each request: they are logged with their stacks. */
  #unreachable(): CallFault {
    const why = this.#fault === undefined ? "" : `: it ${this.#fault.message}`;
    return new CallFault(
      this.#methods === undefined
        ? `was not called, since the delegate's methods are not known yet${why}`
        : `was not called, since the delegate keeps failing${why}`,
      true,
    );
  }

  async #send(
    method: DelegateMethod,
    body: string,
    key: string,
    signal: AbortSignal,
  ): Promise<string> {
    const { kept, maxSeconds } = this.#parts;
    const since = performance.now();
    const { generation } = kept;
    const { text, headers } = await this.#asked({ name: method, body }, signal);
    const seconds = Math.min(maxSeconds(), freshnessSeconds(headers));
    // A result of an earlier state of the delegate is not stored for a later one.
    if (kept.generation === generation) kept.keep(key, text, { since, seconds });
    return text;
  }

  /** Sends a request and counts it. */
  async #asked(request: Parameters<typeof ask>[0], signal: AbortSignal): ReturnType<typeof ask> {
    const counts = this.#counts;
    if (counts.running >= maxRunning)
      throw new CallFault(`was not called, since ${maxRunning} requests are under way`, false);
    counts.running++;
    const began = performance.now();
    try {
      const answered = await ask(request, this.#parts.asking(), signal);
      counts.bytes += answered.text.length;
      // Once it is down, only a check of its methods ends that: it may be a different one now.
      if (!this.#isDown) this.#inRow = 0;
      return answered;
    } catch (error) {
      if (error instanceof CallFault) this.#note(error);
      throw error;
    } finally {
      counts.running--;
      counts.requests++;
      const ms = performance.now() - began;
      counts.ms += (ms - counts.ms) * Math.max(0.1, 1 / counts.requests);
    }
  }

  #note(fault: CallFault): void {
    this.#counts.failures++;
    if (!fault.isDown) {
      if (!this.#isDown) this.#inRow = 0;
      return;
    }
    this.#fault = fault;
    this.#inRow++;
    if (this.#inRow !== maxFailures || this.#methods === undefined) return;
    this.#parts.log.error("The delegate keeps failing; backing off until it responds again", {
      url: this.#parts.asking().base.href,
      reason: fault.message,
    });
    this.#plan();
  }

  async #look(): Promise<void> {
    const url = this.#parts.asking().base.href;
    const wasDown = this.#isDown;
    try {
      const { text } = await this.#asked({ name: "methods" }, this.#closing.signal);
      this.#learn(text, url);
      if (wasDown) this.#parts.log.info("The delegate answers", { url, methods: this.#names });
      this.#inRow = 0;
      this.#retries = 0;
      this.#fault = undefined;
      this.#told = undefined;
    } catch (error) {
      if (this.#closing.signal.aborted || !(error instanceof CallFault)) throw error;
      this.#fault = error;
      this.#tell(url, error);
      throw error;
    }
  }

  /** Logs each reason once: repeating it every few seconds would fill the log. */
  #tell(url: string, { message }: CallFault): void {
    if (this.#told === message) return;
    this.#told = message;
    this.#parts.log.error(
      this.#methods === undefined
        ? "The delegate's methods cannot be determined: requests for images fail until they can"
        : "The delegate's methods cannot be determined now; the previous ones stay in effect",
      { url, reason: `It ${message}.` },
    );
  }

  #learn(text: string, url: string): void {
    if (text === this.#document) return;
    let methods: Methods;
    try {
      methods = readDocument(JSON.parse(text));
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new CallFault(`does not say what methods it has: ${cause.message}`, false, { cause });
    }
    const before = this.#methods;
    this.#methods = methods;
    this.#document = text;
    this.#parts.kept.clear();
    if (before !== undefined)
      this.#parts.log.warn("The delegate's methods or their keys have changed", {
        url,
        methods: this.#names,
      });
  }

  get #names(): readonly string[] {
    return [...(this.#methods?.keys() ?? [])];
  }

  /** Schedules the next check: soon where the delegate is unavailable, with growing pauses. */
  #plan(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#timer);
    const { lookMs, retryMs } = this.#parts;
    const ms = this.#isDown
      ? Math.min(lookMs, retryMs * 2 ** Math.min(this.#retries++, 10))
      : lookMs;
    this.#timer = setTimeout(() => void this.start(), ms);
    this.#timer.unref();
  }

  /**
   * The part of the context that a method is sent; undefined where there is no such method, or the
   * methods are unknown.
   */
  choice(method: DelegateMethod): ContextChoice | undefined {
    return this.#methods?.get(method);
  }
}
