/** Totals of all work since the start. */
export interface AdmissionCounts {
  readonly begun: number;
  /** Of those started: how many had to wait. */
  readonly waited: number;
  /** Total wait of these in milliseconds. */
  readonly waitedMs: number;
  /** Finished, successfully or not. */
  readonly done: number;
  /** Of those finished: how many results nobody waited for any more. */
  readonly abandoned: number;
  /** Left the queue before they were admitted. */
  readonly left: number;
  /** Refused because the queue was full. */
  readonly refusedFull: number;
  /** Refused because the wait would have been, or was, too long. */
  readonly refusedSlow: number;
  /** Refused because they need more memory than is ever available. */
  readonly refusedHuge: number;
}

/** Incremented in place. */
export type Counts = { -readonly [name in keyof AdmissionCounts]: number };

/** Initial counts. */
export const initialCounts: AdmissionCounts = {
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
