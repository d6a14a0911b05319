import { ServerError } from "./errors.ts";
import type { LaneName } from "./lane.ts";

/** The state of the lane that refused the work. */
export interface FullLane {
  readonly lane: LaneName;
  /** Queued pieces of work. */
  readonly waiting: number;
  /** Estimated wait of new work in milliseconds, from recent speed. */
  readonly expectedMs: number;
}

/**
 * The server has no capacity now. The error has no stack, since there may be thousands in a second.
 */
export class Busy extends ServerError {
  readonly crowd: FullLane;

  constructor(message: string, crowd: FullLane) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super("busy", message);
    Error.stackTraceLimit = stackTraceLimit;
    this.crowd = crowd;
  }

  /** Value for Retry-After in seconds: 1 to 60. */
  get retryAfter(): number {
    return Math.min(longest, Math.max(1, Math.ceil(this.crowd.expectedMs / 1000)));
  }
}

const longest = 60;

/** An image is quarantined for a while, whatever the load: reading it crashed decoders recently. */
export class Quarantined extends ServerError {
  /** Value for Retry-After in whole seconds, at least 1. */
  readonly retryAfter: number;

  constructor(
    ms: number,
    message = "This image is quarantined after repeated decoder crashes. It is refused for a while, or until its file is replaced.",
  ) {
    super("busy", message);
    this.retryAfter = Math.max(1, Math.ceil(ms / 1000));
  }
}

/** The queue is full. */
export const queueFull = (crowd: FullLane): Busy =>
  new Busy(
    `The server is busy: ${crowd.waiting} images are already waiting to be rendered.`,
    crowd,
  );

/** The wait would take, or took, too long. */
export const waitTooLong = (crowd: FullLane): Busy =>
  new Busy(
    `The server is busy: rendering could not begin for ${Math.ceil(crowd.expectedMs / 1000)} s.`,
    crowd,
  );
