/** Why a key of Cantaloupe's has no effect here, and what to do instead. */
export interface Explanation {
  /**
   * `later`: of a feature that Vitrine does not have yet. `meaningless`: of something Vitrine does
   * not need. `renamed`: of an older Cantaloupe, now called `replacedBy`. `removed`: dropped by
   * Cantaloupe.
   */
  readonly reason: "later" | "meaningless" | "renamed" | "removed";
  readonly explanation: string;
  /** The key with the same effect, if any. */
  readonly replacedBy?: string;
}

/** A key, or a pattern in which one `*` matches any text, and its explanation. */
export type ExplainedKey = readonly [pattern: string, explanation: Explanation];
