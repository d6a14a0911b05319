/** Why a key of Cantaloupe's has no effect here, and what to do instead. */
export interface Explanation {
  /**
   * `later`: for a part that Vitrine does not have yet. `meaningless`: for something Vitrine does
   * not need. `renamed`: of an older Cantaloupe, now called `replacedBy`. `removed`: dropped by
   * Cantaloupe.
   */
  readonly reason: "later" | "meaningless" | "renamed" | "removed";
  readonly explanation: string;
  /** The key that does this instead, if any. */
  readonly replacedBy?: string;
}

/** A key, or a pattern in which one `*` stands for any text, and what is to be said of it. */
export type ExplainedKey = readonly [pattern: string, explanation: Explanation];
