import { setImmediate } from "node:timers/promises";
import { type Steps, yieldToEventLoop } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";

/**
 * Yields the event loop during long work, and ends disproportionate work: a file of a few megabytes
 * can contain millions of packets and tiles that show nothing.
 */
export class WorkBudget {
  readonly signal: AbortSignal;
  #done = 0;
  #left: number;

  /** For one result, of at most so many units of work. */
  constructor(signal: AbortSignal, max = maxPieces) {
    this.signal = signal;
    this.#left = max;
  }

  /**
   * Counts units of work; true where it is time to yield. Throws `unreadable` where there were too
   * many; `charged` is their count for that purpose.
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

  /** As `yieldToEventLoop`, within steps. */
  *pause(): Steps<void> {
    this.#done = 0;
    yield* yieldToEventLoop();
  }
}

/** Units between yields: a unit takes a microsecond at most; half a millisecond. */
const piecesAtOnce = 512;

/** Maximum units: about six seconds. */
const maxPieces = 6_291_456;

/** The cost of other work in units. */
export const piecesOf = {
  /** Parsing a tile-part's header. */
  tilePart: 4,
  /** Creating the index of a tile, without its resolutions, and its job. */
  tile: 128,
  /** Computing the geometry of a component's resolution. */
  resolution: 24,
  /** Parsing a packet, without its blocks. */
  packet: 5,
  /** Parsing a packet's data on a block. */
  block: 0.25,
} as const;
