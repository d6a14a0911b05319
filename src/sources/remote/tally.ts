import type { Traffic } from "../../core/source.ts";

/** Counts the requests to a server for one object. */
export class RequestCounter {
  #requests = 0;
  #bytes = 0;

  /** Counts a sent request. */
  sent(): void {
    this.#requests++;
  }

  /** Counts received bytes. */
  received(bytes: number): void {
    this.#bytes += bytes;
  }

  get traffic(): Traffic {
    return { requests: this.#requests, bytes: this.#bytes };
  }
}
