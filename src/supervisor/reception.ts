import type { Socket } from "node:net";
import type { Handed, Scheme } from "./handover.ts";
import type { FromWorker } from "./messages.ts";

/** Where connections go that the supervisor hands over. */
export interface Clients {
  /** How many are connected. */
  readonly open: number;
  take(connection: Socket, scheme: Scheme): void;
}

/**
 * Where a worker gets connections from the supervisor. It answers for each, in any case: else it
 * would be nobody's.
 */
export class Reception {
  readonly #answer: (message: FromWorker) => void;
  #clients: Clients | undefined;
  #latest = 0;

  constructor(answer: (message: FromWorker) => void) {
    this.#answer = answer;
  }

  /** How many clients are connected. */
  get open(): number {
    return this.#clients?.open ?? 0;
  }

  /** Takes connections from now on, or no more. */
  set clients(clients: Clients | undefined) {
    this.#clients = clients;
  }

  /** A connection has come; undefined where its client has gone before it could be sent. */
  receive({ id, scheme }: Handed, connection: Socket | undefined): void {
    this.#latest = id;
    if (this.#clients === undefined) {
      connection?.destroy();
      this.#answer({ kind: "declined", id });
      return;
    }
    // Before anything is read of it: should this process die just then, no other may go on where it
    // ended.
    this.#answer({ kind: "taken", id, open: this.#clients.open + 1 });
    if (connection) this.#clients.take(connection, scheme);
  }

  /** The supervisor misses an answer. What was sent before has come by now, if it comes at all. */
  asked(id: number): void {
    if (id > this.#latest) this.#answer({ kind: "missed", id });
  }
}
