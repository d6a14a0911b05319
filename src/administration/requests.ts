import type { StageTimes } from "../core/timings.ts";
import type { Counting, KindNumber } from "./counting.ts";
import type { SlowSources } from "./slow-sources.ts";

/** Records requests as they end. */
export interface Requests {
  /** Status 499 where the client disconnected; milliseconds from the arrival to the end. */
  note(kind: KindNumber, status: number, ms: number): void;
  /** The stages of an image request. */
  noteStages(identifier: string, stages: StageTimes): void;
}

export const requestsInto = (counting: Counting, slow: SlowSources): Requests => ({
  note: (kind, status, ms) => counting.note(kind, status, ms),
  noteStages: (identifier, stages) => slow.note(identifier, stages),
});
