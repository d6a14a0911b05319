/** What has become of all work since the start. */
export interface AdmissionCounts {
  readonly begun: number;
  /** Of those begun: how many had to wait. */
  readonly waited: number;
  /** Milliseconds that these waited, all together. */
  readonly waitedMs: number;
  /** Begun and over, well or not. */
  readonly done: number;
  /** Of those done: how many nobody wanted any more. */
  readonly abandoned: number;
  /** Left the queue before their turn came. */
  readonly left: number;
  /** Refused since too many waited. */
  readonly refusedFull: number;
  /** Refused since waiting would have taken too long, or did. */
  readonly refusedSlow: number;
  /** Refused for needing more memory than there ever is. */
  readonly refusedHuge: number;
}

/** As they go up. */
export type Counts = { -readonly [name in keyof AdmissionCounts]: number };

/** Before any work came. */
export const nothingYet: AdmissionCounts = {
  begun: 0,
  waited: 0,
  waitedMs: 0,
  done: 0,
  abandoned: 0,
  left: 0,
  refusedFull: 0,
  refusedSlow: 0,
  refusedHuge: 0,
};
