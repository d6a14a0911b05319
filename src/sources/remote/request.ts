import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../../core/abort.ts";
import { ServerError } from "../../core/errors.ts";
import { type ByteRange, SourceChanged } from "../../core/range-reader.ts";
import type { RequestOutcome } from "./breaker.ts";
import { RemoteDeadline } from "./deadline.ts";
import { StoreFailure } from "./failures.ts";
import type { RemoteSettings } from "./keys.ts";
import type { Origins, RequestPermit } from "./origins.ts";
import { checkResponse, type ExpectedFacts, readBody } from "./response.ts";
import type { ObjectFacts, ObjectResponse, RemoteObject } from "./store.ts";
import type { RequestCounter } from "./tally.ts";

/** The dependencies of requests. */
export interface RequestParts {
  readonly origins: Origins;
  readonly settings: () => RemoteSettings;
  /** Milliseconds for reading a range, including all attempts, where a source has its own limit. */
  readonly requestMs?: () => number;
}

/** Bytes of a range of an object, in blocks, or that the store does not support ranges. */
export interface FetchedPart {
  readonly facts: ObjectFacts;
  /**
   * Blocks of `block` bytes, the last one shorter where the range is; absent where the store sends
   * only whole objects.
   */
  readonly blocks?: readonly Uint8Array[];
}

/** A whole object in transfer. */
export interface FetchedWhole {
  readonly facts: ObjectFacts;
  readonly body: AsyncIterable<Uint8Array>;
}

interface RangeRequest {
  readonly object: RemoteObject;
  readonly expected?: ExpectedFacts | undefined;
  readonly signal: AbortSignal;
  /** Counts requests for this object, besides its server's counts; default none. */
  readonly tally?: RequestCounter;
}

/** A request whose response the client of a store reads. */
interface RemoteCall {
  readonly origin: string;
  readonly place: string;
  readonly signal: AbortSignal;
}

/** Sends requests to stores, within the limits of each server, with deadlines and retries. */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /**
   * Reads a range of an object into blocks of so many bytes. Throws as `RemoteObject.get` does, and
   * `busy`.
   */
  async part(
    { signal, ...wanted }: RangeRequest,
    { range, block }: { readonly range: ByteRange; readonly block: number },
  ): Promise<FetchedPart> {
    const settings = this.#parts.settings();
    const whole = new RemoteDeadline(signal);
    const ms = this.#parts.requestMs?.() ?? settings["source.request_timeout"] * 1_000;
    whole.arm(ms, `${wanted.object.place} took longer than ${ms} ms.`);
    try {
      const attempt = (): Promise<FetchedPart> =>
        this.#send({ ...wanted, signal: whole.signal }, { range, block });
      return await retried(attempt, settings["source.attempts"], whole.signal);
    } finally {
      whole.end();
    }
  }

  /**
   * Makes a store's client send a request and read the response, within the deadline for the start
   * of other responses. Throws the errors of `send`, `late`, and `busy`.
   */
  async call<T>(
    { origin, place, signal }: RemoteCall,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const settings = this.#parts.settings();
    const whole = new RemoteDeadline(signal);
    const ms = this.#parts.requestMs?.() ?? settings["source.request_timeout"] * 1_000;
    whole.arm(ms, `${place} took longer than ${ms} ms.`);
    const attempt = async (): Promise<T> => {
      const leave = await this.#parts.origins.of(origin).enter("part", whole.signal);
      const deadline = new RemoteDeadline(whole.signal);
      const attemptMs = settings["source.response_timeout"] * 1_000;
      deadline.arm(attemptMs, `${place} did not respond within ${attemptMs} ms.`);
      let outcome: RequestOutcome = "answered";
      try {
        return await untilAborted(deadline.signal, send(deadline.signal));
      } catch (error) {
        outcome = outcomeOf(error, whole.signal);
        throw error;
      } finally {
        deadline.end();
        leave.end(outcome);
      }
    };
    try {
      return await retried(attempt, settings["source.attempts"], whole.signal);
    } finally {
      whole.end();
    }
  }

  /**
   * The whole object as a stream; its slot is free again once `body` was read, discarded, or took
   * too long.
   */
  async whole({ signal, ...wanted }: RangeRequest): Promise<FetchedWhole> {
    const settings = this.#parts.settings();
    const deadline = new RemoteDeadline(signal);
    const ms = settings["source.download_timeout"] * 1_000;
    deadline.arm(ms, `${wanted.object.place} took longer than ${ms} ms.`);
    const exchange = await this.#begin({ ...wanted, signal: deadline.signal }, undefined).catch(
      (error: unknown) => {
        deadline.end();
        throw error;
      },
    );
    const end = (outcome: RequestOutcome): void => {
      deadline.end();
      exchange.end(outcome);
    };
    deadline.signal.addEventListener("abort", () => end("abandoned"), { once: true });
    return { facts: exchange.response, body: exchange.body(end) };
  }

  async #send(
    wanted: RangeRequest,
    { range, block }: { readonly range: ByteRange; readonly block: number },
  ): Promise<FetchedPart> {
    const { place } = wanted.object;
    const exchange = await this.#begin(wanted, range);
    const { response, part } = exchange;
    if (part === undefined) {
      response.discard();
      exchange.end("answered");
      return { facts: response };
    }
    const reading = readBody(exchange.body(exchange.end), {
      length: part.length,
      block,
      place,
      received: () => {},
    });
    try {
      const blocks = await untilAborted(exchange.signal, reading);
      return { facts: response, blocks };
    } catch (error) {
      response.discard();
      exchange.end(outcomeOf(error, wanted.signal));
      throw error;
    }
  }

  /** Sends a request and waits for its headers. */
  async #begin({ object, expected, signal, tally }: RangeRequest, range: ByteRange | undefined) {
    const { origins, settings } = this.#parts;
    const leave = await origins.of(object.origin).enter(range ? "part" : "whole", signal);
    tally?.sent();
    const received = (bytes: number): void => {
      leave.received(bytes);
      tally?.received(bytes);
    };
    const deadline = new RemoteDeadline(signal);
    const ms = settings()["source.response_timeout"] * 1_000;
    deadline.arm(ms, `${object.place} sent nothing for ${ms} ms.`);
    const end = once((outcome: RequestOutcome) => {
      deadline.end();
      leave.end(outcome);
    });
    let response: ObjectResponse | undefined;
    try {
      const { etag } = expected ?? {};
      const sent = object.get(range, { signal: deadline.signal, ...(etag ? { etag } : {}) });
      // A late response is not read.
      sent.then(
        (late) => deadline.signal.aborted && late.discard(),
        () => undefined,
      );
      response = await untilAborted(deadline.signal, sent);
      const part = checkResponse(response, { place: object.place, range, expected });
      deadline.refresh();
      const found = response;
      return {
        response,
        part,
        signal: deadline.signal,
        end,
        body: (ended: (outcome: RequestOutcome) => void) =>
          watched(found, { deadline, received, ended, signal }),
      };
    } catch (error) {
      response?.discard();
      end(outcomeOf(error, signal));
      throw error;
    }
  }
}

/** A body that counts its bytes; each chunk must arrive within the deadline. */
async function* watched(
  { body, discard }: ObjectResponse,
  {
    deadline,
    received,
    ended,
    signal,
  }: {
    readonly deadline: RemoteDeadline;
    readonly received: RequestPermit["received"];
    readonly ended: (outcome: RequestOutcome) => void;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  let outcome: RequestOutcome = "abandoned";
  try {
    for await (const chunk of body) {
      deadline.signal.throwIfAborted();
      deadline.refresh();
      received(chunk.byteLength);
      yield chunk;
    }
    deadline.signal.throwIfAborted();
    outcome = "answered";
  } catch (error) {
    outcome = outcomeOf(error, signal);
    deadline.signal.throwIfAborted();
    throw error;
  } finally {
    if (outcome !== "answered") discard();
    ended(outcome);
  }
}

const once = <T>(work: (given: T) => void): ((given: T) => void) => {
  let isDone = false;
  return (given) => {
    if (isDone) return;
    isDone = true;
    work(given);
  };
};

/** What an error says of the server: a missing file is a response like any other. */
const outcomeOf = (error: unknown, signal: AbortSignal): RequestOutcome => {
  if (signal.aborted && !isLate(signal.reason)) return "abandoned";
  return error instanceof ServerError && !isLate(error) && !mayRetry(error) ? "answered" : "failed";
};

const isLate = (error: unknown): boolean =>
  error instanceof ServerError && error.failure === "late";

const mayRetry = (error: unknown): boolean => {
  if (error instanceof SourceChanged) return false;
  if (error instanceof StoreFailure) return error.retry;
  if (error instanceof ServerError) return error.failure === "upstream" || error.failure === "late";
  return true;
};

const firstPauseMs = 100;
/** A server that asks for a longer pause is not asked again for the same request. */
const longestPauseMs = 5_000;

/** Retries what may succeed, after random, doubling pauses. */
const retried = async <T>(
  attempt: () => Promise<T>,
  max: number,
  signal: AbortSignal,
): Promise<T> => {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (count >= max || !mayRetry(error)) throw error;
      const wanted = error instanceof StoreFailure ? (error.retryAfterMs ?? 0) : 0;
      if (wanted > longestPauseMs) throw error;
      const pause = firstPauseMs * 2 ** (count - 1) * (0.5 + Math.random());
      await sleep(Math.max(wanted, pause), undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  }
};
