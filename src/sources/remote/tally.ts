import type { Traffic } from "../../core/source.ts";

/** Counts what is asked of a server for one object. */
export class Tally {
  #requests = 0;
  #bytes = 0;

  /** Takes note of a request that is sent. */
  sent(): void {
    this.#requests++;
  }

  /** Takes note of bytes that came. */
  received(bytes: number): void {
    this.#bytes += bytes;
  }

  get traffic(): Traffic {
    return { requests: this.#requests, bytes: this.#bytes };
  }
}
