import type { Worker } from "node:worker_threads";
import type { Logger } from "../../core/log.ts";
import { startThread } from "../../core/thread.ts";
import { RubyFailure } from "./failure.ts";
import { guestPath } from "./guest-path.ts";
import type { LoadedRuby, RubyMessage, RubyOutcome, RubyStart } from "./messages.ts";
import type { AskWeb, RubyWebAnswer, RubyWebRequest } from "./web.ts";

/** The options of a thread that runs Ruby. */
export interface RubyThreadParts {
  readonly start: Omit<RubyStart, "answered">;
  /** Time limit of one call in seconds. */
  readonly seconds: () => number;
  /** Receives the script's output, and notices of ended threads. */
  readonly log: Logger;
  /** Sends the script's HTTP requests; absent: it cannot send any. */
  readonly web?: AskWeb;
  /** Time limit in milliseconds of loading Ruby and the script; a minute. */
  readonly startMs?: number;
}

interface PendingCall {
  readonly request: string;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * A thread that runs a Ruby delegate, one call after the other. A call that runs too long, or
 * crashes Ruby, ends the thread, which is then replaced.
 */
export class RubyThread {
  readonly #parts: RubyThreadParts;
  readonly #waiting: PendingCall[] = [];
  #worker: Worker | undefined;
  #running: PendingCall | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStarting = false;
  #isClosed = false;

  constructor(parts: RubyThreadParts) {
    this.#parts = parts;
  }

  /** Running and queued calls. */
  get calls(): number {
    return this.#waiting.length + (this.#running === undefined ? 0 : 1);
  }

  /** Starts the thread and loads the script. Throws Ruby's exceptions, or why it did not start. */
  async start(): Promise<LoadedRuby> {
    this.#isStarting = true;
    try {
      const { worker, loaded } = await this.#started();
      if (this.#isClosed) {
        void worker.terminate();
        throw closed();
      }
      this.#worker = worker;
      worker.on("message", (message: RubyMessage) => {
        if (message.kind === "answer") this.#settle(message.outcome);
      });
      worker.once("exit", () => this.#ended(worker, "Ruby ended"));
      return loaded;
    } finally {
      this.#isStarting = false;
    }
  }

  /**
   * Queues a call. Rejects with Ruby's exception, or with the reason why it could not be called.
   */
  call(request: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed());
      if (this.#waiting.length >= maxWaiting)
        return reject(this.#failure(`more than ${maxWaiting} calls are waiting for Ruby`));
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread; queued calls fail. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    for (const one of this.#left()) one.reject(closed());
  }

  #next(): void {
    if (this.#running !== undefined || this.#isStarting || this.#waiting.length === 0) return;
    if (this.#worker === undefined) {
      void this.#startAgain();
      return;
    }
    this.#running = this.#waiting.shift();
    const { seconds } = this.#parts;
    // The caller gives up first, and says so.
    this.#timer = setTimeout(() => this.#tooLong(), seconds() * 1_000 + 20);
    this.#worker.postMessage({ request: this.#running?.request });
  }

  #settle(outcome: RubyOutcome): void {
    clearTimeout(this.#timer);
    const call = this.#running;
    this.#running = undefined;
    if ("error" in outcome) call?.reject(new RubyFailure(outcome.error, this.#script));
    else call?.resolve(outcome.value);
    this.#next();
  }

  #tooLong(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#lost(`it ran for more than ${this.#parts.seconds()} s`);
  }

  #ended(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    this.#lost(why);
  }

  /** Objects of requests are lost with the thread: their next calls fail. */
  #lost(why: string): void {
    const call = this.#running;
    this.#running = undefined;
    this.#parts.log.error("The delegate's Ruby is restarting", { file: this.#script, why });
    call?.reject(this.#failure(why));
    void this.#startAgain();
  }

  async #startAgain(): Promise<void> {
    if (this.#isClosed || this.#isStarting) return;
    try {
      await this.start();
      this.#next();
    } catch (error) {
      if (this.#isClosed) return;
      this.#parts.log.error("The delegate's Ruby cannot be restarted", {
        file: this.#script,
        err: error,
      });
      // The next call tries again.
      for (const one of this.#left()) one.reject(error);
    }
  }

  #left(): readonly PendingCall[] {
    const left = [...(this.#running ? [this.#running] : []), ...this.#waiting];
    this.#running = undefined;
    this.#waiting.length = 0;
    return left;
  }

  #started(): Promise<{ readonly worker: Worker; readonly loaded: LoadedRuby }> {
    const { start, log, startMs = 60_000 } = this.#parts;
    const answered = new SharedArrayBuffer(4);
    const worker = startThread(new URL("./ruby-worker", import.meta.url), { ...start, answered });
    const ended = new AbortController();
    worker.once("exit", () => ended.abort());
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        clearTimeout(timer);
        void worker.terminate();
        reject(reason);
      };
      const timer = setTimeout(
        () => leave(this.#failure(`it was not loaded within ${startMs / 1_000} s`)),
        startMs,
      );
      // Also of a running thread: its end follows.
      worker.on("error", (cause) =>
        leave(this.#failure(`Ruby broke down: ${cause instanceof Error ? cause.message : cause}`)),
      );
      worker.on("message", (message: RubyMessage) => {
        if (message.kind === "log") log[message.level](message.text, { delegate: start.path });
        if (message.kind === "web")
          void this.#askWeb(message.request, ended.signal).then((web) => {
            worker.postMessage({ web });
            const flag = new Int32Array(answered);
            Atomics.store(flag, 0, 1);
            Atomics.notify(flag, 0);
          });
        if (message.kind !== "loaded") return;
        const { outcome } = message;
        if ("error" in outcome) return leave(new RubyFailure(outcome.error, this.#script));
        clearTimeout(timer);
        resolve({ worker, loaded: outcome.value as LoadedRuby });
      });
      worker.once("exit", () => leave(this.#failure("Ruby ended before the script was loaded")));
    });
  }

  async #askWeb(request: RubyWebRequest, ended: AbortSignal): Promise<RubyWebAnswer> {
    const { web, seconds } = this.#parts;
    if (web === undefined)
      return { failure: "refused", message: "requests cannot be sent from here" };
    const late = AbortSignal.timeout(seconds() * 1_000);
    return web(request, AbortSignal.any([ended, late]));
  }

  #failure(message: string): RubyFailure {
    return new RubyFailure({ class: "RubyFailure", message, lines: [] }, this.#script);
  }

  get #script(): string {
    return guestPath(this.#parts.start.path);
  }
}

const closed = (): Error => new Error("the delegate's Ruby was ended");

/** More requests than a server may have in flight. */
const maxWaiting = 10_000;
