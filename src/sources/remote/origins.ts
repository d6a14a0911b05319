import { fail } from "../../core/errors.ts";
import { Limiter } from "../../core/limiter.ts";
import type { Logger } from "../../core/log.ts";
import type { OriginState } from "../../core/source.ts";
import { Breaker, type RequestOutcome } from "./breaker.ts";
import type { RemoteSettings } from "./keys.ts";

/** Permission to send one request. */
export interface RequestPermit {
  /** Counts received bytes. */
  received(bytes: number): void;
  /** Must be called once, at the end of the request. */
  end(outcome: RequestOutcome): void;
}

/**
 * The share of requests to a server that downloads of whole files may use: tiles must not wait for
 * them.
 */
const downloadShare = 0.5;
const maxOrigins = 1_024;
/** Weight of the latest request against all before it. */
const weight = 0.1;

/** Limits, circuit breaker and counts of one server. */
export class Origin {
  readonly name: string;
  readonly #parts: {
    readonly slots: Limiter;
    readonly downloads: Limiter;
    readonly breaker: Breaker;
  };
  readonly #log: Logger;
  #requests = 0;
  #failures = 0;
  #bytes = 0;
  #ms = 0;
  #timed = 0;

  constructor(name: string, settings: () => RemoteSettings, log: Logger, now: () => number) {
    this.name = name;
    this.#log = log;
    const limitsOf = (share: number) => () => {
      const current = settings();
      return {
        running: Math.max(1, Math.floor(current["source.requests.max_per_origin"] * share)),
        waiting: current["source.requests.max_waiting"],
      };
    };
    const breakerLimits = () => ({
      failures: settings()["source.breaker.failures"],
      pauseMs: settings()["source.breaker.seconds"] * 1_000,
    });
    this.#parts = {
      slots: new Limiter(limitsOf(1)),
      downloads: new Limiter(limitsOf(downloadShare)),
      breaker: new Breaker(breakerLimits, now),
    };
  }

  /** Whether no request is in flight. */
  get isIdle(): boolean {
    const { slots, downloads } = this.#parts;
    return slots.running + downloads.running === 0;
  }

  get state(): OriginState {
    const { slots, downloads, breaker } = this.#parts;
    return {
      origin: this.name,
      breaker: breaker.state,
      running: slots.running + downloads.running,
      waiting: slots.waiting + downloads.waiting,
      requests: this.#requests,
      failures: this.#failures,
      bytes: this.#bytes,
      ms: this.#ms,
    };
  }

  /**
   * Waits until a request may be sent. Throws `upstream` while the circuit breaker is open, `busy`
   * where too many wait, and the signal's reason.
   */
  async enter(kind: "part" | "whole", signal: AbortSignal): Promise<RequestPermit> {
    const { breaker } = this.#parts;
    if (breaker.state === "open") this.#refuse();
    const slots = kind === "part" ? this.#parts.slots : this.#parts.downloads;
    const free = await slots.take(signal);
    const note = breaker.enter();
    if (note === undefined) {
      free();
      return this.#refuse();
    }
    this.#requests++;
    const began = performance.now();
    return {
      received: (bytes) => {
        this.#bytes += bytes;
      },
      end: (outcome) => {
        free();
        const before = breaker.state;
        note(outcome);
        if (outcome === "failed") this.#failures++;
        if (outcome !== "abandoned") this.#time(performance.now() - began);
        if (before !== "open" && breaker.state === "open")
          this.#log.warn("A remote source keeps failing; backing off before retrying.", {
            origin: this.name,
          });
      },
    };
  }

  /** Records the duration of a request. */
  #time(ms: number): void {
    this.#timed++;
    // The first ones have equal weight, or the average would start at zero.
    this.#ms += (ms - this.#ms) * Math.max(weight, 1 / this.#timed);
  }

  #refuse(): never {
    return fail(
      "upstream",
      "The storage of the image keeps failing.",
      new Error(`${this.name} failed repeatedly and is not asked for a while.`),
    );
  }
}

/** A bounded number of servers that requests were sent to. */
export class Origins {
  readonly #origins = new Map<string, Origin>();
  readonly #settings: () => RemoteSettings;
  readonly #log: Logger;
  readonly #now: () => number;

  constructor(settings: () => RemoteSettings, log: Logger, now = () => performance.now()) {
    this.#settings = settings;
    this.#log = log;
    this.#now = now;
  }

  /** The server with that name. */
  of(name: string): Origin {
    const known = this.#origins.get(name);
    const origin = known ?? new Origin(name, this.#settings, this.#log, this.#now);
    // Moved to the end: the map's order is the order of use.
    if (known) this.#origins.delete(name);
    this.#origins.set(name, origin);
    if (this.#origins.size > maxOrigins) this.#shrink();
    return origin;
  }

  get states(): readonly OriginState[] {
    return [...this.#origins.values()].map(({ state }) => state);
  }

  #shrink(): void {
    for (const [name, origin] of this.#origins) {
      if (this.#origins.size <= maxOrigins) return;
      if (origin.isIdle) this.#origins.delete(name);
    }
  }
}
