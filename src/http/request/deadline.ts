import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { ServerError } from "../../core/errors.ts";
import { type Linked, LinkedList } from "../../core/linked-list.ts";
import type { Shutdown, ShutdownHooks } from "../connection/shutdown.ts";
import { whenOver } from "./reply.ts";

/** Ends a request early, and races its work against that end. */
export interface Deadline {
  /** Aborts with a `late` or an `aborted` error as its reason. */
  readonly signal: AbortSignal;
  /** The reason once the signal has aborted; does not create the signal. */
  readonly reason: ServerError | undefined;
  /** The work's result, or the reason as soon as the signal aborts, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T>;
}

/**
 * Starts and ends the deadlines of all requests in flight. One timer serves all: a timer for each
 * request took 2 % of a stored tile.
 */
export class Deadlines implements ShutdownHooks {
  readonly #open = new LinkedList<Over>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by `performance.now()`. */
  #wakes = Number.POSITIVE_INFINITY;

  constructor(ending?: Shutdown) {
    ending?.add(this);
  }

  /**
   * Starts a deadline that ends with the response, or earlier when the client disconnects or the
   * server shuts down.
   */
  start(response: ServerResponse, seconds: number): Deadline {
    const over = new Over(response, seconds);
    this.#open.add(over);
    this.#wakeBy(over.due);
    whenOver(response, (whole) => {
      this.#open.delete(over);
      if (!whole)
        over.come(new ServerError("aborted", "The client disconnected before the response"));
    });
    return over;
  }

  isLast(): void {
    for (const over of this.#open.all) over.isLast();
  }

  giveUp(reason: ServerError): void {
    for (const over of this.#open.all) over.come(reason);
  }

  #wakeBy(due: number): void {
    if (due >= this.#wakes) return;
    clearTimeout(this.#timer);
    this.#wakes = due;
    // Rounded up: timers have whole milliseconds. An idle server may end before it fires.
    this.#timer = setTimeout(() => this.#check(), Math.ceil(due - performance.now())).unref();
  }

  /** Ends expired deadlines and sets the timer for the next one. */
  #check(): void {
    this.#wakes = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const over of this.#open.all) {
      if (over.reason !== undefined) continue;
      if (over.due <= now) over.comeLate();
      else this.#wakeBy(over.due);
    }
  }
}

/**
 * The early end of a request. Nearly all requests end well within a millisecond, so the signal is
 * created on first use, and races do without it.
 */
class Over implements Deadline, Linked<Over> {
  before: Over | undefined = undefined;
  after: Over | undefined = undefined;
  isListed = false;
  /** By `performance.now()`. */
  readonly due: number;
  readonly #response: ServerResponse;
  readonly #seconds: number;
  /** Created on first use. */
  #racing: Set<(reason: ServerError) => void> | undefined;
  #controller: AbortController | undefined;
  #reason: ServerError | undefined;

  constructor(response: ServerResponse, seconds: number) {
    this.#response = response;
    this.#seconds = seconds;
    this.due = performance.now() + seconds * 1_000;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every read and job of the request listens, and their number has no limit.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get reason(): ServerError | undefined {
    return this.#reason;
  }

  race<T>(work: Promise<T>): Promise<T> {
    this.#racing ??= new Set();
    const racing = this.#racing;
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason);
      else racing.add(reject);
      work.then(
        (result) => {
          racing.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          racing.delete(reject);
          reject(this.#reason ?? error);
        },
      );
    });
  }

  isLast(): void {
    this.#response.shouldKeepAlive = false;
  }

  comeLate(): void {
    this.come(
      new ServerError("late", `The request took longer than ${this.#seconds} s and was aborted`),
    );
  }

  come(reason: ServerError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const reject of this.#racing ?? []) reject(reason);
    this.#racing?.clear();
  }
}
