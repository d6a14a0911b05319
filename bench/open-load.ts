import { performance } from "node:perf_hooks";
import { type Answer, Connection } from "./connection.ts";

/** One request of an open load, and the kind it is counted under. */
export interface Arrival {
  readonly kind: string;
  readonly path: string;
}

export interface OpenLoadOptions {
  /** Scheme, host and port; paths are appended. */
  readonly base: URL;
  /** Requests per second, at predetermined times, without waiting for responses. */
  readonly rate: number;
  readonly seconds: number;
  /** Maximum number of requests in flight; further ones are dropped and counted. */
  readonly connections: number;
  /** The first request of each connection, so that opening it does not count. */
  readonly first: string;
  /** Milliseconds after which a response counts as `timeout`. */
  readonly timeout: number;
}

/** The outcomes of the requests of one kind. */
export interface Outcome {
  /** How often each status came; connections that failed count under their error's code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds of each whole answer, by status. */
  readonly times: Readonly<Record<string, readonly number[]>>;
}

/** What became of an open load. */
export interface OpenLoad {
  readonly kinds: Readonly<Record<string, Outcome>>;
  readonly sent: number;
  /** Arrivals that found every connection taken. */
  readonly dropped: number;
  /** From the first arrival to the last. */
  readonly seconds: number;
}

/** Sends requests at fixed times regardless of responses; waits for those in flight at the end. */
export const openLoad = async (
  next: (number: number) => Arrival,
  options: OpenLoadOptions,
): Promise<OpenLoad> => {
  const connection = (): Connection => new Connection({ ...options, headers: {} });
  const all = Array.from({ length: options.connections }, connection);
  const free = [...all];
  const counts = new Map<string, Tally>();
  const underWay = new Set<Promise<void>>();
  let dropped = 0;
  let sent = 0;
  const send = ({ kind, path }: Arrival, over: Connection): void => {
    const asking = over.ask(path).then((answer) => {
      underWay.delete(asking);
      free.push(over);
      tallyOf(counts, kind).note(answer);
    });
    sent++;
    underWay.add(asking);
  };
  for (const one of all) await one.ask(options.first);
  const began = performance.now();
  const due = (): number =>
    Math.floor((Math.min(performance.now() - began, options.seconds * 1000) * options.rate) / 1000);
  const total = Math.floor(options.seconds * options.rate);
  try {
    for (let number = 0; number < total; await pause(tickMs))
      for (const end = due(); number < end; number++) {
        const over = free.pop();
        if (over === undefined) dropped++;
        else send(next(number), over);
      }
    const seconds = (performance.now() - began) / 1000;
    await Promise.all(underWay);
    return { kinds: Object.fromEntries(counts), sent, dropped, seconds };
  } finally {
    for (const one of all) one.close();
  }
};

/** Interval of checking for due requests in milliseconds. */
const tickMs = 2;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class Tally implements Outcome {
  readonly statuses: Record<string, number> = {};
  readonly times: Record<string, number[]> = {};

  note({ status, milliseconds }: Answer): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.times[status] ??= [];
    if (milliseconds !== undefined) this.times[status].push(milliseconds);
  }
}

const tallyOf = (tallies: Map<string, Tally>, kind: string): Tally => {
  const tally = tallies.get(kind) ?? new Tally();
  tallies.set(kind, tally);
  return tally;
};
