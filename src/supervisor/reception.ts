import type { Socket } from "node:net";
import type { HandedConnection, Scheme } from "./handover.ts";
import type { FromWorker } from "./messages.ts";

/** Receives the connections that the supervisor hands over. */
export interface Clients {
  /** Number of open connections. */
  readonly open: number;
  take(connection: Socket, scheme: Scheme): void;
  /** Closes so many connections, each with its next response; replaces the number of before. */
  release(connections: number): void;
}

/**
 * A worker's receiver of connections from the supervisor. It replies for each in any case:
 * otherwise it would be lost.
 */
export class Reception {
  readonly #answer: (message: FromWorker) => void;
  #clients: Clients | undefined;
  #latest = 0;

  constructor(answer: (message: FromWorker) => void) {
    this.#answer = answer;
  }

  /** Number of connected clients. */
  get open(): number {
    return this.#clients?.open ?? 0;
  }

  /** Accepts connections from now on, or no more. */
  set clients(clients: Clients | undefined) {
    this.#clients = clients;
  }

  /** A connection has arrived; undefined where its client was gone before it could be sent. */
  receive({ id, scheme }: HandedConnection, connection: Socket | undefined): void {
    this.#latest = id;
    if (this.#clients === undefined) {
      connection?.destroy();
      this.#answer({ kind: "declined", id });
      return;
    }
    // Before anything is read of it: should this process die just then, no other may continue it.
    this.#answer({ kind: "taken", id, open: this.#clients.open + 1 });
    if (connection) this.#clients.take(connection, scheme);
  }

  /** Closes connections, so that their clients' next ones go to other workers. */
  release(connections: number): void {
    this.#clients?.release(connections);
  }

  /** The supervisor misses a reply. Earlier messages have arrived by now, if at all. */
  asked(id: number): void {
    if (id > this.#latest) this.#answer({ kind: "missed", id });
  }
}
