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

/** The hooks of a request for the shutdown. */
export interface ShutdownHooks {
  /** Marks its response as the last one on its connection. */
  readonly isLast: () => void;
  /** Time is up. */
  readonly giveUp: (reason: ServerError) => void;
}

/** What requests have to know of the shutdown. */
export class Shutdown {
  readonly #underWay = new Set<ShutdownHooks>();
  #begun = false;

  /** Whether new requests are refused. */
  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
    for (const { isLast } of this.#underWay) isLast();
  }

  /** Registers a request in flight; the returned function unregisters it. */
  tell(request: ShutdownHooks): () => void {
    this.#underWay.add(request);
    return () => this.#underWay.delete(request);
  }

  /** Aborts every request in flight. */
  giveUp(): void {
    for (const { giveUp } of this.#underWay) giveUp(stopping());
  }
}

/** The error of requests that are refused or aborted during the shutdown. */
export const stopping = (): ServerError =>
  new ServerError("busy", "The server is being stopped; ask again in a moment.");
