import { setImmediate } from "node:timers/promises";
import { rest, type Steps } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";

/**
 * Lets others have the event loop in the midst of long work, and ends work that is out of all
 * proportion: a file of a few megabytes can hold millions of packets and tiles, none of which shows
 * anything.
 */
export class WorkBudget {
  readonly signal: AbortSignal;
  #done = 0;
  #left: number;

  /** For one answer, of at most so many pieces of work. */
  constructor(signal: AbortSignal, max = maxPieces) {
    this.signal = signal;
    this.#left = max;
  }

  /**
   * Takes note of so many pieces of work; true where it is time to rest. Throws `unreadable` where
   * there were too many; `charged` is what these count for in that.
   */
  isDue(pieces: number, charged = pieces): boolean {
    this.#done += pieces;
    this.#left -= charged;
    if (this.#left < 0) damaged("fewer tiles, packets and code-blocks to look through");
    return this.#done >= piecesAtOnce;
  }

  /** Throws the signal's reason where it aborted. */
  async rest(): Promise<void> {
    this.#done = 0;
    await setImmediate();
    this.signal.throwIfAborted();
  }

  /** As `rest`, in the midst of steps. */
  *pause(): Steps<void> {
    this.#done = 0;
    yield* rest();
  }
}

/** A piece takes a microsecond at most. Half a millisecond of them. */
const piecesAtOnce = 512;

/** Some six seconds of them. */
const maxPieces = 6_291_456;

/** What other work comes to, in pieces. */
export const piecesOf = {
  /** Reading a tile-part's header. */
  tilePart: 4,
  /** Making the index of a tile, its resolutions aside, and its job. */
  tile: 128,
  /** Laying out a resolution of a component. */
  resolution: 24,
  /** Reading a packet, its blocks aside. */
  packet: 5,
  /** What a packet says of a block. */
  block: 0.25,
} as const;
