import type { Counting, KindNumber } from "./counting.ts";
import type { SlowSources } from "./slow-sources.ts";

/** Records requests as they end. */
export interface Requests {
  /** Status 499 where the client disconnected; milliseconds from the arrival to the end. */
  note(kind: KindNumber, status: number, ms: number): void;
  /** How many milliseconds an image request spent on finding and reading the file. */
  noteReading(identifier: string, ms: number): void;
}

export const requestsInto = (counting: Counting, slow: SlowSources): Requests => ({
  note: (kind, status, ms) => counting.note(kind, status, ms),
  noteReading: (identifier, ms) => slow.note(identifier, ms),
});
