import { Calls, type Served } from "../administration/calls.ts";
import type { Member } from "../administration/member.ts";
import { remoteMember } from "../administration/remote.ts";
import type { FromWorker } from "./messages.ts";
import type { Relations } from "./supervision.ts";

interface Related {
  readonly calls: Calls;
  readonly member: Member;
  serves: boolean;
}

/** The calls to and from workers. */
export class WorkerCalls implements Relations {
  readonly #served: (worker: number) => Served;
  readonly #greet: (member: Member) => void;
  readonly #known = new Map<number, Related>();

  /** `served` are the functions that a worker may call; each new serving worker is greeted. */
  constructor(served: (worker: number) => Served, greet: (member: Member) => void) {
    this.#served = served;
    this.#greet = greet;
  }

  /** Those that serve, by number. */
  get members(): readonly Member[] {
    return [...this.#known]
      .filter(([, { serves }]) => serves)
      .sort(([one], [other]) => one - other)
      .map(([, { member }]) => member);
  }

  came(worker: number, send: Parameters<Relations["came"]>[1]): void {
    this.gone(worker);
    const calls = new Calls(send);
    calls.serve(this.#served(worker));
    this.#known.set(worker, { calls, member: remoteMember(calls), serves: false });
  }

  serves(worker: number): void {
    const known = this.#known.get(worker);
    if (known === undefined) return;
    known.serves = true;
    this.#greet(known.member);
  }

  gone(worker: number): void {
    this.#known.get(worker)?.calls.close();
    this.#known.delete(worker);
  }

  /** The calls to a worker; undefined where it does not run. */
  to(worker: number): Pick<Calls, "call"> | undefined {
    return this.#known.get(worker)?.calls;
  }

  /** Handles a message of a worker. */
  hear(worker: number, message: FromWorker): void {
    this.#known.get(worker)?.calls.hear(message);
  }
}
