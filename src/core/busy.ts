import { ServerError } from "./errors.ts";
import type { LaneName } from "./lane.ts";

/** How things stood in the lane that had no room. */
export interface Crowd {
  readonly lane: LaneName;
  /** Pieces of work that wait in it. */
  readonly waiting: number;
  /** Milliseconds until work that came now would begin, going by how long drawing took lately. */
  readonly expectedMs: number;
}

/**
 * There is no room for a piece of work now. It carries no stack: there may be thousands in a
 * second.
 */
export class Busy extends ServerError {
  readonly crowd: Crowd;

  constructor(message: string, crowd: Crowd) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super("busy", message);
    Error.stackTraceLimit = stackTraceLimit;
    this.crowd = crowd;
  }

  /** Seconds after which asking again may help: a whole number from 1 to 60. */
  get retryAfter(): number {
    return Math.min(longest, Math.max(1, Math.ceil(this.crowd.expectedMs / 1000)));
  }
}

const longest = 60;

/**
 * An image is refused for a while, whatever room there is: reading it has cost too much lately.
 */
export class Quarantined extends ServerError {
  /** Seconds after which asking again may help: a whole number from 1. */
  readonly retryAfter: number;

  constructor(
    ms: number,
    message = "This image is quarantined after repeated decoder crashes. It is refused for a while, or until its file is replaced.",
  ) {
    super("busy", message);
    this.retryAfter = Math.max(1, Math.ceil(ms / 1000));
  }
}

/** Too many wait already. */
export const tooMany = (crowd: Crowd): Busy =>
  new Busy(
    `The server is busy: ${crowd.waiting} images are already waiting to be rendered.`,
    crowd,
  );

/** It would take, or took, too long until work begins. */
export const tooSlow = (crowd: Crowd): Busy =>
  new Busy(
    `The server is busy: rendering could not begin for ${Math.ceil(crowd.expectedMs / 1000)} s.`,
    crowd,
  );
