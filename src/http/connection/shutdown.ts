import { defineKeys } from "../../config/keys.ts";
import { ServerError } from "../../core/errors.ts";

/** The states of a server's shutdown. */
export const shutdownKeys = defineKeys({
  "http.drain_timeout": {
    type: "seconds",
    default: 30,
    min: 0,
    max: 3_600,
    doc: "Seconds that requests in flight have to finish once the server is told to stop. Unfinished requests get 503.",
  },
});

/** What the shutdown does to requests in flight. */
export interface ShutdownHooks {
  /** Marks their responses as the last on their connections. */
  isLast(): void;
  /** Time is up. */
  giveUp(reason: ServerError): void;
}

/** What requests have to know of the shutdown. */
export class Shutdown {
  readonly #told: ShutdownHooks[] = [];
  #begun = false;

  /** Whether new requests are refused. */
  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
    for (const requests of this.#told) requests.isLast();
  }

  /** Registers the requests of a server. */
  add(requests: ShutdownHooks): void {
    this.#told.push(requests);
  }

  /** Aborts every request in flight. */
  giveUp(): void {
    for (const requests of this.#told) requests.giveUp(stopping());
  }
}

/** The error of requests that are refused or aborted during the shutdown. */
export const stopping = (): ServerError =>
  new ServerError("busy", "The server is being stopped; ask again in a moment.");
