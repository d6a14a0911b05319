import { type RequestKind, requestKinds, type StatusClass, statusClasses } from "./figures.ts";

/**
 * Which of the kinds of request it is, by its place in `requestKinds`: names would have to be
 * looked up.
 */
export type KindNumber = 0 | 1 | 2;
export const imageKind: KindNumber = 0;
export const infoKind: KindNumber = 1;
export const otherKind: KindNumber = 2;

/**
 * How many classes of latency there are: four to each doubling, from a sixteenth of a millisecond
 * on.
 */
export const latencyClasses = 96;
const firstMs = 1 / 16;
const perDoubling = 4;

/** What was counted since the start of a process; only ever grows. */
export interface Counts {
  /** By kind and class of status. */
  readonly requests: Float64Array;
  /** By kind and class of latency. */
  readonly latencies: Float64Array;
  /** Milliseconds of all requests together, by kind. */
  readonly milliseconds: Float64Array;
}

/**
 * Counts requests: all that is done for it on the way of a request is a logarithm and three
 * additions to arrays that are there. How it is shown is the concern of others.
 */
export class Counting implements Counts {
  readonly requests = new Float64Array(requestKinds.length * statusClasses.length);
  readonly latencies = new Float64Array(requestKinds.length * latencyClasses);
  readonly milliseconds = new Float64Array(requestKinds.length);

  /**
   * Takes note of a request that is over: its status (499 where the client left) and how long it
   * took.
   */
  note(kind: KindNumber, status: number, ms: number): void {
    add(this.requests, kind * statusClasses.length + classOf(status), 1);
    add(this.latencies, kind * latencyClasses + latencyClassOf(ms), 1);
    add(this.milliseconds, kind, ms);
  }

  /** The counts as they stand, to be sent elsewhere. */
  snapshot(): Counts {
    return {
      requests: this.requests.slice(),
      latencies: this.latencies.slice(),
      milliseconds: this.milliseconds.slice(),
    };
  }
}

const add = (numbers: Float64Array, at: number, amount: number): void => {
  numbers[at] = (numbers[at] ?? 0) + amount;
};

const classOf = (status: number): number => {
  if (status === 499) return 4;
  if (status >= 500) return 3;
  if (status >= 400) return 2;
  return status >= 300 ? 1 : 0;
};

const latencyClassOf = (ms: number): number => {
  if (!(ms > firstMs)) return 0;
  const found = Math.floor(Math.log2(ms / firstMs) * perDoubling);
  return found < latencyClasses ? found : latencyClasses - 1;
};

/** The milliseconds in the middle of a class of latency. */
export const latencyOf = (found: number): number => firstMs * 2 ** ((found + 0.5) / perDoubling);

/** Where the count of a kind and class of status stands. */
export const requestsAt = (kind: RequestKind, status: StatusClass): number =>
  requestKinds.indexOf(kind) * statusClasses.length + statusClasses.indexOf(status);
