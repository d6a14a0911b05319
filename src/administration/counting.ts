import { type RequestKind, requestKinds, type StatusClass, statusClasses } from "./figures.ts";

/** The kind of a request, by its index in `requestKinds`, which is faster than by name. */
export type KindNumber = 0 | 1 | 2;
export const imageKind: KindNumber = 0;
export const infoKind: KindNumber = 1;
export const otherKind: KindNumber = 2;

/** Number of latency classes: four per doubling, from a sixteenth of a millisecond on. */
export const latencyClasses = 96;
const firstMs = 1 / 16;
const perDoubling = 4;

/** Counts since the start of a process; they only grow. */
export interface Counts {
  /** By kind and class of status. */
  readonly requests: Float64Array;
  /** By kind and class of latency. */
  readonly latencies: Float64Array;
  /** Total milliseconds of all requests, by kind. */
  readonly milliseconds: Float64Array;
}

/**
 * Counts requests. On a request's path it costs a logarithm and three additions to existing arrays;
 * presentation is done elsewhere.
 */
export class Counting implements Counts {
  readonly requests = new Float64Array(requestKinds.length * statusClasses.length);
  readonly latencies = new Float64Array(requestKinds.length * latencyClasses);
  readonly milliseconds = new Float64Array(requestKinds.length);

  /** Records a finished request: its status (499 where the client disconnected) and duration. */
  note(kind: KindNumber, status: number, ms: number): void {
    add(this.requests, kind * statusClasses.length + classOf(status), 1);
    add(this.latencies, kind * latencyClasses + latencyClassOf(ms), 1);
    add(this.milliseconds, kind, ms);
  }

  /** A snapshot of the counts, to be sent elsewhere. */
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

/** The middle of a latency class in milliseconds. */
export const latencyOf = (found: number): number => firstMs * 2 ** ((found + 0.5) / perDoubling);

/** The index of the count of a kind and class of status. */
export const requestsAt = (kind: RequestKind, status: StatusClass): number =>
  requestKinds.indexOf(kind) * statusClasses.length + statusClasses.indexOf(status);
