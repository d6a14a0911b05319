import { defineKeys } from "../../config/keys.ts";
import { ServerError } from "../../core/errors.ts";

/** How the server comes to its end. */
export const shutdownKeys = defineKeys({
  "http.drain_timeout": {
    type: "seconds",
    default: 30,
    min: 0,
    max: 3_600,
    doc: "Seconds that requests in flight have to finish once the server is told to stop. Unfinished requests get 503.",
  },
});

/** A request that is told of the server's end. */
export interface UnderWay {
  /** Its answer is the last one on its connection. */
  readonly isLast: () => void;
  /** Time is up. */
  readonly giveUp: (reason: ServerError) => void;
}

/** What of a server's end its requests have to know. */
export class Shutdown {
  readonly #underWay = new Set<UnderWay>();
  #begun = false;

  /** Whether new requests are to be turned away. */
  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
    for (const { isLast } of this.#underWay) isLast();
  }

  /** Tells a request of the end as long as it is under way; the answer stops that. */
  tell(request: UnderWay): () => void {
    this.#underWay.add(request);
    return () => this.#underWay.delete(request);
  }

  /** Gives up all that is under way. */
  giveUp(): void {
    for (const { giveUp } of this.#underWay) giveUp(stopping());
  }
}

/** Why a request is turned away or given up while the server ends. */
export const stopping = (): ServerError =>
  new ServerError("busy", "The server is being stopped; ask again in a moment.");
